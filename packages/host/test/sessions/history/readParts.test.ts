import { MAX_PARTS_LIMIT, type SessionAction, type TurnStep, turnSteps } from '@agenthost/protocol';
import { droppedSteps, type FetchPartsResult } from '@agenthost/protocol/internal';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PartsRange } from '../../../src/sessions/history/readParts.js';
import type { SessionHistory } from '../../../src/sessions/history/sessionHistory.js';
import { bytesOf, copyOf, HistoryWorld, NAMES, openHistory, RangedMemoryFs, SESSION } from './historyWorld.js';

const CALLS = 3_000;
const LONG = { session: SESSION, turnId: 'long' };

/** Every eleventh call is a notice, and the first one runs until the end. */
function* longTurn(): Generator<SessionAction> {
  const at = 5;
  yield { ...LONG, at, type: 'session/turnStarted', userMessage: { text: 'go' } };
  for (let n = 0; n < CALLS; n++) {
    if (n % 11 === 10) {
      const part = { kind: 'notice', id: `n${n}`, text: `notice ${n}`, severity: 'info' } as const;
      yield { ...LONG, at, type: 'session/responsePart', part };
      continue;
    }
    const toolCallId = `c${n}`;
    const call = { toolCallId, toolName: 'x', displayName: 'Step', invocationMessage: `Step ${n}`, toolInput: `${n}` };
    yield {
      ...LONG,
      at,
      type: 'session/toolStart',
      toolCall: { ...call, status: 'running', confirmed: { how: 'notNeeded' } },
    };
    yield { ...LONG, at, type: 'session/toolUpdate', toolCallId, output: `output ${n}` };
    if (n === 0) continue;
    yield {
      ...LONG,
      at,
      type: 'session/toolComplete',
      toolCallId,
      result: { success: true, pastTenseMessage: 'Did it' },
    };
  }
  const result = { success: true, pastTenseMessage: 'Did all of it' };
  yield { ...LONG, at, type: 'session/toolComplete', toolCallId: 'c0', result };
}

function shortTurn(world: HistoryWorld, n: number): void {
  const turn = { session: SESSION, at: n, turnId: `t${n}` };
  world.act({ ...turn, type: 'session/turnStarted', userMessage: { text: `${n}` } });
  world.act({ ...turn, type: 'session/turnComplete' });
}

describe('[PAGE2] parts of a turn of 3,000 steps', () => {
  const fs = new RangedMemoryFs();
  const all = new Map<number, TurnStep>();
  let logBytes = 0;

  const expected = (before: number, limit: number): FetchPartsResult => {
    const end = Math.min(before, all.size);
    const steps = Array.from({ length: Math.min(limit, end) }, (_, n) => all.get(Math.max(end - limit, 0) + n));
    return {
      parts: steps.map((step) => withoutIndex(step?.part)) as FetchPartsResult['parts'],
      toolCalls: steps.flatMap((step) => step?.call ?? []),
      earlier: Math.max(end - limit, 0),
    };
  };
  const ranges: readonly Omit<PartsRange, 'turnId'>[] = [
    { limit: MAX_PARTS_LIMIT },
    { before: CALLS, limit: 1 },
    { before: CALLS + 500, limit: 7 },
    { before: 2_321, limit: 200 },
    { before: 1_024, limit: 200 },
    { before: 513, limit: 1 },
    { before: 512, limit: 200 },
    { before: 300, limit: 200 },
    { before: 1, limit: 200 },
    { before: 0, limit: 200 },
  ];

  async function check(history: SessionHistory, read: RangedMemoryFs): Promise<void> {
    for (const range of ranges) {
      read.read.clear();
      const page = await history.readParts({ turnId: LONG.turnId, ...range });
      expect(page, JSON.stringify(range)).toEqual(expected(range.before ?? CALLS, range.limit));
    }
  }

  beforeAll(async () => {
    const world = await HistoryWorld.create(fs);
    world.act({ type: 'session/ready', session: SESSION, at: 1 });
    for (let n = 0; n < 200; n++) shortTurn(world, n);
    await world.told();
    let events = 0;
    for (const action of longTurn()) {
      const before = world.state.activeTurn;
      world.act(action);
      const after = world.state.activeTurn;
      if (before && after) for (const step of droppedSteps(before, after)) all.set(step.index, step);
      // In pieces, as an agent reports: then the log is written on the way.
      if (++events % 64 === 0) await world.told();
    }
    if (world.state.activeTurn) for (const step of turnSteps(world.state.activeTurn)) all.set(step.index, step);
    await world.told();
    logBytes = (await bytesOf(fs, 'events.jsonl')).length;
    // While it runs.
    await check(world.history, fs);
    world.act({ ...LONG, at: 6, type: 'session/turnComplete' });
    await world.told();
    await check(world.history, fs);
    for (let n = 1_000; n < 2_500; n++) {
      shortTurn(world, n);
      if (n % 64 === 0) await world.told();
    }
    await world.restart();
  }, 120_000);

  it('are the same after a restart, and cost the same in the middle as at the end', async () => {
    const copy = await copyOf(fs);
    const opened = await openHistory(copy);
    if (!opened) throw new Error('the session is gone');
    expect(logBytes).toBeGreaterThan(2_000_000);
    for (const range of ranges) {
      copy.read.clear();
      const page = await opened.history.readParts({ turnId: LONG.turnId, ...range });
      expect(page, JSON.stringify(range)).toEqual(expected(range.before ?? CALLS, range.limit));
      // The very first call runs until the end: only its page reads all of the turn.
      const hasOuter = (range.before ?? CALLS) - range.limit <= 0;
      if (!hasOuter) expect(copy.bytesRead('events.jsonl'), JSON.stringify(range)).toBeLessThan(900_000);
    }
  });

  it.each(NAMES)('are read from the log as a whole when %s is missing', async (name) => {
    const copy = await copyOf(fs, { [name]: undefined });
    const opened = await openHistory(copy);
    if (!opened) throw new Error('the session is gone');
    await check(opened.history, copy);
  });

  it('are empty for an unknown turn', async () => {
    const opened = await openHistory(await copyOf(fs));
    expect(await opened?.history.readParts({ turnId: 'nobody', limit: 5 })).toBeUndefined();
    expect(await opened?.history.readParts({ turnId: 't3', limit: 5 })).toEqual({
      parts: [],
      toolCalls: [],
      earlier: 0,
    });
  });
});

function withoutIndex(part: TurnStep['part'] | undefined) {
  const { index: _, ...rest } = { index: undefined, ...part };
  return rest;
}
