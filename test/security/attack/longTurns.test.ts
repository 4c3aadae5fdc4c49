import type { SessionState, Snapshot } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { AttackedHost } from './attackedHost.js';

const ENDS = new Set(['session/turnComplete', 'session/turnCancelled', 'session/error']);

/** Issue 17, points 8 and 17: what a turn and a session hold is bounded, and so is what each event of them costs. */
describe('long turns', { timeout: 300_000 }, () => {
  let attacked: AttackedHost;
  let client: RawClient;
  beforeAll(async () => {
    attacked = await AttackedHost.start();
    client = await open('driver');
  });
  afterAll(async () => {
    await client.end();
    await attacked.dispose();
  });

  async function open(clientId: string): Promise<RawClient> {
    const opened = await RawClient.open(attacked.host);
    await opened.request('initialize', { protocolVersion: 2, clientId });
    return opened;
  }

  async function newSession(): Promise<string> {
    const session = `mock:/${crypto.randomUUID()}`;
    await client.request('createSession', { session });
    const { lifecycle } = await client.stateOf(session);
    if (lifecycle === 'creating') await client.nextAction(session, 'session/ready');
    return session;
  }

  /** Runs a turn to its end; gives the type of the action that ended it. */
  async function run(session: string, text: string): Promise<string> {
    const turnId = crypto.randomUUID();
    client.dispatch({ type: 'session/turnStarted', session, turnId, userMessage: { text } });
    const { action } = await client.nextEnvelope(
      ({ action: { type, ...rest } }) => ENDS.has(type) && 'turnId' in rest && rest.turnId === turnId,
      'the end of the turn',
    );
    return action.type;
  }

  it.each([
    ['20,000 small tool calls in a turn', 'many-calls 20000'],
    ['20,000 notices in a turn', 'many-notices 20000'],
    ['20,000 tool calls inside a call that runs all the time', 'outer-call 20000'],
  ])('serves others during %s', async (attack, prompt) => {
    const session = await newSession();
    await attacked.during(attack, async () => expect(await run(session, prompt)).toBe('session/turnComplete'));
    await client.request('disposeSession', { session });
  });

  it.each([
    ['20,000 tool calls at the same time', 'open-calls 20000'],
    ['20,000 questions at the same time', 'open-questions 20000'],
  ])('ends a turn that opens %s', async (attack, prompt) => {
    const session = await newSession();
    await attacked.during(attack, async () => expect(await run(session, prompt)).toBe('session/error'));
    await client.request('disposeSession', { session });
  });

  it('bounds the state and the snapshots of turns with 60 calls of 1 MB input and 1 MB output', async () => {
    const session = await newSession();
    await attacked.during('4 turns of 60 calls of 1 MB in and 1 MB out, 50 clients take snapshots', async () => {
      for (let turn = 0; turn < 4; turn++)
        expect(await run(session, 'many-calls 60 1000000')).toBe('session/turnComplete');
      const clients = await Promise.all(Array.from({ length: 50 }, (_, n) => open(`viewer-${n}`)));
      const snapshots = await Promise.all(
        clients.map((viewer) => viewer.request<Snapshot>('subscribe', { resource: session, turns: 200 })),
      );
      for (const { state } of snapshots) {
        expect(JSON.stringify(state).length).toBeLessThan(1.5 * 1024 * 1024);
        expect((state as SessionState).turns.at(-1)?.toolCalls.length).toBeGreaterThan(0);
      }
      await Promise.all(clients.map((viewer) => viewer.end()));
    });
  });
});
