import { rm } from 'node:fs/promises';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { AcpAgents } from '@agenthost/host';
import type { SessionState } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stubEntry, writeAgents } from '../../support/agents/stubAgent.js';
import { say, textOf } from '../../support/say.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const MS = 30_000;

let stateDir: string;
let host: TestHost;
let client: HostClient;
beforeAll(async () => {
  stateDir = await temporaryFolder();
  const plain = stubEntry(stateDir, {}, { name: 'Plain' });
  await writeAgents(stateDir, { stub: stubEntry(stateDir, { STUB_STEERING: 'yes' }), plain });
  host = await startTestHost({ stateDir, agentSources: [new AcpAgents()], abortGraceMs: 300 });
  client = await host.connect();
});
afterAll(async () => {
  await host.dispose();
  await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
});

async function openStub(provider = 'stub'): Promise<SessionHandle> {
  const session = await client.createSession({ provider });
  await session.ready();
  return session;
}

const state = (session: SessionHandle, reached: (state: SessionState) => boolean, what: string) =>
  until(session.confirmed, reached, what, MS);
const waiting = (session: SessionHandle) =>
  state(session, ({ activeTurn }) => textOf(activeTurn).includes('Waiting.'), 'the agent that waits');
const ended = (session: SessionHandle, turns: number) =>
  state(session, (now) => now.turns.length >= turns && !now.activeTurn, `turn ${turns}`);
/** What the agent was told, each once. */
const told = (session: SessionHandle) => say(session, 'recall');

const steered = ({ turns }: SessionState) =>
  turns.map(({ responseParts }) =>
    responseParts.flatMap((part) => (part.kind === 'steering' ? [part.userMessage.text] : [])),
  );

describe('a steering message for an agent that takes messages in a running turn', () => {
  it('is in that turn, before what the agent says to it', async () => {
    const session = await openStub();
    await session.send('wait-steering');
    await waiting(session);
    await session.steer('this way');
    const [turn] = (await ended(session, 1)).turns;
    expect(turn?.responseParts).toMatchObject([
      { kind: 'markdown', content: 'Waiting. ' },
      { kind: 'steering', userMessage: { text: 'this way' } },
      { kind: 'markdown', content: 'Steered: this way. Done.' },
    ]);
    expect(await told(session)).toBe('wait-steering | steered: this way | recall');
  });

  it.each(['refuse', 'idle', 'failed', 'odd', 'never', 'late'])(
    'is the next turn, once, when the agent does not take it in time: %s',
    async (word) => {
      const session = await openStub();
      await session.send('wait-steering');
      await waiting(session);
      await session.steer(`${word} this`);
      const after = await ended(session, 2);
      expect(after.turns.map(({ userMessage }) => userMessage.text)).toEqual(['wait-steering', `${word} this`]);
      if (word === 'late') await state(session, ({ summary }) => summary.title === 'answered late', 'the late answer');
      expect(await told(session)).toBe(`wait-steering | ${word} this | recall`);
      const { turns, steeringMessage, queuedMessages } = session.confirmed.value;
      expect(steered({ turns } as SessionState).flat()).toEqual([]);
      expect({ turns: turns.length, steeringMessage, queuedMessages }).toEqual({ turns: 3 });
    },
  );

  it('is the next turn when a client stops the turn meanwhile', async () => {
    const session = await openStub();
    await session.send('wait-steering');
    await waiting(session);
    await session.steer('hang on');
    await session.cancel();
    const { turns } = await ended(session, 2);
    expect(turns.map(({ userMessage, state }) => [userMessage.text, state])).toEqual([
      ['wait-steering', 'cancelled'],
      ['hang on', 'complete'],
    ]);
  });

  it('still waits when the agent dies of it', async () => {
    const session = await openStub();
    await session.send('wait-steering');
    await waiting(session);
    await session.steer('crash please');
    const after = await ended(session, 1);
    expect(after.turns[0]).toMatchObject({ state: 'error', error: { errorType: 'agentEnded' } });
    expect(after.steeringMessage?.userMessage.text).toBe('crash please');
  });

  it('reaches the agent once when it is edited meanwhile, and after those before it', async () => {
    const session = await openStub();
    await session.send('wait-steering 3');
    await waiting(session);
    const id = crypto.randomUUID();
    await Promise.all([session.steer('slow one', id), session.steer('slow one, edited', id), session.steer('two')]);
    await session.steer('three');
    const after = await ended(session, 1);
    expect(steered(after)).toEqual([['slow one', 'two', 'three']]);
    expect(await told(session)).toBe('wait-steering 3 | steered: slow one | steered: two | steered: three | recall');
  });

  it('of two clients at once is taken once each, and both see the same', async () => {
    const hers = await openStub();
    const his = await (await host.connect({ clientInfo: { name: 'Bob' } })).openSession(hers.uri);
    await hers.send('wait-steering 2');
    await waiting(his);
    await Promise.all([hers.steer('slow hers'), his.steer('his')]);
    const [mine, theirs] = await Promise.all([ended(hers, 1), ended(his, 1)]);
    expect(steered(mine)[0]?.toSorted()).toEqual(['his', 'slow hers']);
    expect(theirs.turns).toEqual(mine.turns);
    expect((await told(hers)).match(/steered/g)).toHaveLength(2);
  });

  it('waits for an agent that has to be started again', async () => {
    const session = await openStub();
    await say(session, 'die');
    const sent = session.send('wait-steering');
    await session.steer('at once');
    await sent;
    expect(steered(await ended(session, 2))).toEqual([[], ['at once']]);
  });

  it('waits for the end of the turn when the agent has no such method', async () => {
    const session = await openStub('plain');
    await session.send('tool sleep 0.2');
    await session.steer('then this');
    const [call] = await until(session.pendingConfirmations, (open) => open.length > 0, 'a question', MS);
    await call?.approve();
    const after = await ended(session, 2);
    expect(after.turns[1]?.userMessage.text).toBe('then this');
  });
});
