import { rm } from 'node:fs/promises';
import type { SessionHandle } from '@agenthost/client';
import { ERROR_CODE, type SessionState, type Turn, turnSteps } from '@agenthost/protocol';
import { type FetchPartsResult, MAX_TURN_PARTS } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rawSession, startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const CALLS = 700;

describe('a turn with more steps than its state', () => {
  let host: TestHost;
  beforeEach(async () => {
    host = await startTestHost();
  });
  afterEach(() => host.dispose());

  const ended = (session: SessionHandle, count = 1) =>
    until(session.confirmed, ({ turns, activeTurn }) => turns.length === count && !activeTurn, 'the end', 60_000);

  function lastTurn(session: SessionHandle): Turn {
    const turn = session.confirmed.value.turns.at(-1);
    if (!turn) throw new Error('no turn has ended');
    return turn;
  }

  async function longSession(prompt = `many-calls ${CALLS}`): Promise<SessionHandle> {
    const session = await (await host.connect()).createSession({ provider: 'mock' });
    await session.send(prompt);
    await ended(session);
    return session;
  }

  /** Every step once, in order, as the agent reported it; then what it wrote. */
  function expectAll({ responseParts, toolCalls, earlierParts }: Turn, calls = CALLS): void {
    expect(earlierParts).toBeUndefined();
    expect(toolCalls.map(({ invocationMessage }) => invocationMessage)).toEqual(
      Array.from({ length: calls }, (_, n) => `Step ${n}`),
    );
    expect(toolCalls.every((call) => call.status === 'completed' && call.result.success)).toBe(true);
    expect(responseParts.map((part) => part.kind)).toEqual([...Array(calls).fill('toolCall'), 'markdown']);
  }

  it('[PART6] is a window on the host and in every client, and all of it can be read', async () => {
    const session = await longSession();
    const turn = lastTurn(session);
    expect(turn.responseParts.length).toBeLessThanOrEqual(MAX_TURN_PARTS);
    expect(turn.earlierParts).toBe(CALLS + 1 - turn.responseParts.length);
    const late = await (await host.connect()).openSession(session.uri);
    expect(lastTurn(late)).toEqual(turn);
    expectAll(await session.wholeTurn(turn));
    // Page by page, as a user interface does.
    const shown = turnSteps(turn);
    for (let before: number | undefined; shown[0]?.index !== 0; ) {
      const page = await session.earlierSteps(turn, { limit: 150, ...(before !== undefined && { before }) });
      shown.unshift(...page.steps);
      before = page.earlier;
    }
    expect(shown.map(({ index }) => index)).toEqual(Array.from({ length: CALLS + 1 }, (_, n) => n));
  });

  it('[PART6] keeps a call that runs all the time, with its position', async () => {
    const session = await longSession(`outer-call ${CALLS}`);
    const turn = lastTurn(session);
    expect(turn.toolCalls.map(({ toolCallId }) => toolCallId)).toContain('outer');
    expect(turnSteps(turn)[0]).toMatchObject({ index: 0, part: { toolCallId: 'outer' } });
    const whole = await session.wholeTurn(turn);
    expect(whole.toolCalls[0]).toMatchObject({
      toolCallId: 'outer',
      result: { pastTenseMessage: 'Did the outer call' },
    });
    expect(whole.responseParts.length).toBe(CALLS + 2);
  });

  it('[IMP4] is the same after a restart, in a fork, and when it was exported and imported', async () => {
    const session = await longSession();
    const turn = lastTurn(session);
    const { stateDir } = host;
    await host.host.close();
    host = await startTestHost({ stateDir });
    try {
      const client = await host.connect();
      const again = await client.openSession(session.uri);
      expect(lastTurn(again)).toEqual(turn);
      expectAll(await again.wholeTurn(turn));
      const fork = await client.forkSession({ source: session.uri });
      expectAll(await fork.wholeTurn(lastTurn(fork)));
      const imported = await client.importSession({ provider: 'mock', turns: again.turnPieces(turn) });
      expect(imported.confirmed.value.turns.length).toBe(1);
      expectAll(await imported.wholeTurn(lastTurn(imported)));
      const hits = await client.listSessions({ filter: { text: '"Step 3"' } });
      expect(hits.total).toBe(3);
    } finally {
      await host.dispose();
      await rm(stateDir, { recursive: true, force: true });
      host = await startTestHost();
    }
  });

  it('[IMP4] has the number of missing steps when it is imported', async () => {
    const session = await longSession();
    const client = await host.connect();
    const imported = await client.importSession({ provider: 'mock', turns: [lastTurn(session)] });
    const [notice] = (await imported.wholeTurn(lastTurn(imported))).responseParts;
    const { earlierParts } = lastTurn(session);
    expect(notice).toMatchObject({
      kind: 'notice',
      text: `${earlierParts} earlier steps of this turn were not imported.`,
    });
  });

  it('[PAGE2] can be read while it runs, also by a client of version 1 that holds all of it', async () => {
    const raw = await host.raw('old');
    const session = await rawSession([raw]);
    const turnId = 't1';
    const start = { type: 'session/turnStarted', session, turnId, userMessage: { text: `many-calls ${CALLS}` } };
    const queued = {
      type: 'session/pendingMessageSet',
      session,
      kind: 'queued',
      id: 'm1',
      userMessage: { text: 'slow' },
    };
    raw.dispatch(start);
    raw.dispatch(queued);
    await raw.nextAction(session, 'session/turnComplete', (action) => action.turnId === turnId);
    const state = await raw.stateOf(session);
    expect(state.turns[0]?.earlierParts).toBeGreaterThan(0);
    const page = await raw.request<FetchPartsResult>('fetchParts', { session, turnId, before: 10, limit: 4 });
    expect(page.earlier).toBe(6);
    expect(page.toolCalls.map(({ toolInput }) => toolInput?.split(' ')[0])).toEqual(['6', '7', '8', '9']);
    const running = await raw.request<FetchPartsResult>('fetchParts', { session, turnId: 'm1', limit: 4 });
    expect(running.parts.length).toBeLessThanOrEqual(1);
    const refused = await raw.refusal('fetchParts', { session, turnId: 'nobody', limit: 4 });
    expect(refused).toMatchObject({ code: ERROR_CODE.notFound, message: `no turn nobody in ${session}` });
    expect(await raw.refusal('fetchParts', { session, turnId, limit: 1_000 })).toMatchObject({
      code: ERROR_CODE.invalidParams,
    });
  });

  it('[PERM4] has answers at their positions, also after dropped parts', async () => {
    const raw = await host.raw('raw');
    const session = await rawSession([raw]);
    const turn = { session, turnId: 't1' };
    await raw.act({ ...turn, type: 'session/turnStarted', userMessage: { text: 'calls-then-question 300' } });
    const { request } = await raw.nextAction(session, 'session/permissionRequest');
    await raw.act({ ...turn, type: 'session/permissionResolved', requestId: request.requestId, approved: true });
    await raw.nextAction(session, 'session/turnComplete');
    const [ended1] = (await raw.stateOf(session)).turns;
    expect(ended1?.earlierParts).toBeGreaterThan(0);
    expect(ended1?.answeredPermissions).toMatchObject([{ afterParts: 300 }]);
  });

  it("[CONT4] has a long input by reference: an approver can read all of it, and a cut one can't be edited", async () => {
    const session = await (await host.connect()).createSession({ provider: 'mock' });
    await session.send('confirm-long 300000');
    await until(session.pendingConfirmations, (prompts) => prompts.length === 1, 'the question');
    const [prompt] = session.pendingConfirmations.value;
    if (!prompt) throw new Error('nothing is asked');
    const { toolInput = '', toolInputRef, confirmation } = prompt.toolCall;
    expect(toolInput.length).toBeLessThan(20_000);
    expect(toolInput).toContain('bytes omitted');
    expect(toolInputRef?.sizeHint).toBe(300_000);
    expect(confirmation.editable).toBe(false);
    const whole = await session.wholeInput(prompt.toolCall);
    expect([whole.length, whole.startsWith('line 0\n')]).toEqual([300_000, true]);
    await prompt.approve();
    const { turns } = await ended(session);
    expect(turns[0]?.toolCalls[0]).toMatchObject({ status: 'completed', toolInputRef });
  });

  it('[PAGE1] bounds pages of turns by bytes, and misses none', async () => {
    const session = await longSession('many-notices 200 2000');
    for (let n = 2; n <= 8; n++) {
      await session.send('many-notices 200 2000');
      await ended(session, n);
    }
    const late = await (await host.connect()).openSession(session.uri);
    const shown = late.confirmed.value;
    expect(JSON.stringify(shown).length).toBeLessThan(1.2 * 1024 * 1024);
    expect(shown.turns.length + (shown.earlierTurns ?? 0)).toBe(8);
    expect(shown.turns.length).toBeLessThan(4);
    const ids: string[] = [];
    for await (const turn of late.history({ includeLoaded: true, pageSize: 200 })) ids.unshift(turn.id);
    expect(ids).toEqual(session.confirmed.value.turns.map(({ id }) => id));
    await late.loadEarlierTurns();
    expect(late.confirmed.value.turns.length).toBeGreaterThan(shown.turns.length);
    expectSame(late.confirmed.value, session.confirmed.value);
  });

  function expectSame(some: SessionState, all: SessionState): void {
    const held = new Map(all.turns.map((turn) => [turn.id, turn]));
    for (const turn of some.turns) expect(turn).toEqual(held.get(turn.id));
  }
});
