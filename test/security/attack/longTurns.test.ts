import type { SessionState, Snapshot } from '@agenthost/protocol';
import type { FetchPartsResult } from '@agenthost/protocol/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AttackedHost } from './attackedHost.js';
import { FloodReader } from './floodReader.js';

/** `npm run test:security` has the time for the whole of it. */
const IS_LONG = process.env['AGENTHOST_FAULTS'] === 'all';
const STEPS = IS_LONG ? 100_000 : 20_000;
const LARGE_TURNS = IS_LONG ? 30 : 4;
const NAMED = STEPS.toLocaleString('en');

/** Issue 17, points 8 and 17: what a turn and a session hold is bounded, and so is what each event of them costs. */
describe('long turns', { timeout: IS_LONG ? 1_200_000 : 300_000 }, () => {
  let attacked: AttackedHost;
  let client: FloodReader;
  beforeAll(async () => {
    attacked = await AttackedHost.start();
    client = await FloodReader.open(attacked.host, 'driver');
  });
  afterAll(async () => {
    await client.end();
    await attacked.dispose();
  });

  it.each([
    ['20,000 tool calls at the same time', 'open-calls 20000'],
    ['20,000 questions at the same time', 'open-questions 20000'],
  ])('ends a turn that opens %s', async (attack, prompt) => {
    const session = await client.newSession();
    await attacked.during(attack, async () => expect(await client.run(session, prompt)).toBe('session/error'));
    await client.request('disposeSession', { session });
  });

  it.each([
    [`${NAMED} small tool calls in a turn`, `many-calls ${STEPS}`],
    [`${NAMED} notices in a turn`, `many-notices ${STEPS}`],
    [`${NAMED} tool calls inside a call that runs all the time`, `outer-call ${STEPS}`],
  ])('serves others during %s', async (attack, prompt) => {
    const session = await client.newSession();
    await attacked.during(attack, async () => expect(await client.run(session, prompt)).toBe('session/turnComplete'));
    await client.request('disposeSession', { session });
  });

  it('serves others while all steps of a long turn are read', async () => {
    const session = await client.newSession();
    expect(await client.run(session, `outer-call ${STEPS / 2}`)).toBe('session/turnComplete');
    const { state } = await client.request<Snapshot>('subscribe', { resource: session });
    const turnId = (state as SessionState).turns[0]?.id;
    await attacked.during(
      `pages of a turn of ${NAMED} steps are read, also that of a call that ran to its end`,
      async () => {
        for (let before = 200; before < STEPS / 2; before += STEPS / 20) {
          const page = await client.request<FetchPartsResult>('fetchParts', { session, turnId, before, limit: 200 });
          expect([page.parts.length, page.earlier]).toEqual([200, before - 200]);
        }
      },
    );
    await client.request('disposeSession', { session });
  });

  it('bounds the state and the snapshots of turns with 60 calls of 1 MB input and 1 MB output', async () => {
    const session = await client.newSession();
    const attack = `${LARGE_TURNS} turns of 60 calls with 1 MB in and 1 MB out, then 50 clients take snapshots`;
    await attacked.during(attack, async () => {
      for (let turn = 0; turn < LARGE_TURNS; turn++) {
        expect(await client.run(session, 'many-calls 60 1000000')).toBe('session/turnComplete');
      }
      const viewers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => FloodReader.open(attacked.host, `viewer-${n}`)),
      );
      const subscribe = (viewer: FloodReader) =>
        viewer.request<Snapshot>('subscribe', { resource: session, turns: 200 });
      for (const { state } of await Promise.all(viewers.map(subscribe))) {
        expect(JSON.stringify(state).length).toBeLessThan(1.5 * 1024 * 1024);
        expect((state as SessionState).turns.at(-1)?.toolCalls.length).toBeGreaterThan(0);
      }
      await Promise.all(viewers.map((viewer) => viewer.end()));
    });
  });
});
