import { rm } from 'node:fs/promises';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { AcpAgents } from '@agenthost/host';
import type { SessionState } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stubEntry, stubSession, writeAgents } from '../../support/agents/stubAgent.js';
import { say, textOf } from '../../support/say.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const MS = 30_000;

/** Work of an agent between two turns is a turn: all clients see it, and any can answer. */
describe('[TURN15] a turn that the agent begins', () => {
  let stateDir: string;
  let host: TestHost;
  let alice: HostClient;
  let hers: SessionHandle;
  let his: SessionHandle;
  beforeEach(async () => {
    stateDir = await temporaryFolder();
    await writeAgents(stateDir, { stub: stubEntry(stateDir) });
    host = await startTestHost({ stateDir, agentSources: [new AcpAgents()] });
    alice = await host.connect({ clientInfo: { name: 'Alice' } });
    hers = await stubSession(alice);
    his = await (await host.connect({ clientInfo: { name: 'Bob' } })).openSession(hers.uri);
  });
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const isOwn = ({ activeTurn }: SessionState) => activeTurn?.origin === 'agent';
  const ended = (session: SessionHandle, turns: number) =>
    until(session.confirmed, (state) => state.turns.length >= turns && !state.activeTurn, `turn ${turns}`, MS);

  it('shows its text, and ends after some silence', async () => {
    await say(hers, 'later hello from the background');
    const state = await ended(his, 2);
    expect(state.turns[1]).toMatchObject({ origin: 'agent', userMessage: { text: '' }, state: 'complete' });
    expect(state.turns[1]?.by).toBeUndefined();
    expect(textOf(state.turns[1])).toBe('hello from the background');
    expect(state.summary.title).toBe('later hello from the background');
    expect(await say(hers, 'next')).toBe('You said: next');
  });

  it('asks all clients, and accepts the answer of any', async () => {
    await say(hers, 'ask-late');
    const [asked] = await until(his.pendingConfirmations, (open) => open.length > 0, 'the question', MS);
    expect(hers.confirmed.value).toMatchObject({ activeTurn: { origin: 'agent' }, summary: { status: 'inputNeeded' } });
    await asked?.approve();
    await until(hers.confirmed, ({ summary }) => summary.title === 'answered: yes', 'the answer', MS);
    const { turns } = await ended(hers, 2);
    expect(turns[1]).toMatchObject({
      origin: 'agent',
      toolCalls: [{ confirmed: { how: 'user', by: { name: 'Bob' } } }],
    });
  });

  it('is not needed for a question just at the end of a turn: that turn waits for the answer', async () => {
    await hers.send('ask-and-leave');
    const [asked] = await until(his.pendingConfirmations, (open) => open.length > 0, 'the question', MS);
    expect(his.confirmed.value.activeTurn?.origin).toBeUndefined();
    await asked?.approve();
    await until(hers.confirmed, ({ summary }) => summary.title === 'answered: yes', 'the answer', MS);
    expect((await ended(hers, 1)).turns).toMatchObject([{ state: 'complete' }]);
  });

  it('can be stopped, which the agent is told', async () => {
    await say(hers, 'ask-late');
    const { activeTurn } = await until(hers.confirmed, isOwn, 'the turn', MS);
    await until(hers.pendingConfirmations, (open) => open.length > 0, 'the question', MS);
    await hers.cancel();
    await until(hers.confirmed, ({ summary }) => summary.title === 'answered: cancelled', 'the answer', MS);
    const { turns } = await ended(his, 2);
    expect(turns[1]).toMatchObject({ id: activeTurn?.id, origin: 'agent', state: 'cancelled' });
    expect(await say(hers, 'next')).toBe('You said: next');
  });

  it('makes messages wait for its end', async () => {
    await say(hers, 'ask-late');
    await until(his.pendingConfirmations, (open) => open.length > 0, 'the question', MS);
    await expect(hers.send('too early')).rejects.toThrow('a turn is already in progress');
    await hers.queue('afterwards');
    await his.pendingConfirmations.value[0]?.deny();
    const { turns } = await ended(hers, 3);
    expect(turns.map(({ origin, userMessage }) => [origin, userMessage.text])).toEqual([
      [undefined, 'ask-late'],
      ['agent', ''],
      [undefined, 'afterwards'],
    ]);
  });

  it('ends with an error when the agent ends', async () => {
    await say(hers, 'die-later');
    const { turns } = await ended(his, 2);
    expect(turns[1]).toMatchObject({ origin: 'agent', state: 'error', error: { errorType: 'agentEnded' } });
    expect(await say(hers, 'next')).toBe('You said: next');
  });

  it('is in the log and in forks, and can not be claimed by a client', async () => {
    await say(hers, 'later x');
    await ended(hers, 2);
    const fork = await alice.forkSession({ source: hers.uri });
    expect(fork.confirmed.value.turns.map(({ origin }) => origin)).toEqual([undefined, 'agent']);
    await hers.dispatch({ type: 'session/turnStarted', turnId: 'mine', userMessage: { text: 'x' }, origin: 'agent' });
    const { turns } = await ended(hers, 3);
    expect(turns[2]).toMatchObject({ id: 'mine', responseParts: [{ kind: 'markdown' }] });
    expect(turns[2]?.origin).toBeUndefined();
  });
});
