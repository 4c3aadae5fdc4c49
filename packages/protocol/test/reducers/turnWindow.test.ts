import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../test/support/holds.js';
import { MAX_TURN_LENGTH, MAX_TURN_PARTS } from '../../src/limits.js';
import { sessionReducer } from '../../src/reducers/sessionReducer.js';
import { droppedSteps, isOpenStep, type TurnStep, turnLength, turnSteps } from '../../src/reducers/turnSteps.js';
import { withNewestParts } from '../../src/reducers/turnWindow.js';
import { SCHEMAS } from '../../src/schemas/schemas.js';
import type { SessionAction } from '../../src/types/actions.js';
import type { SessionState } from '../../src/types/sessionState.js';
import type { ActiveTurn } from '../../src/types/turns.js';
import { newSession, SESSION } from './arbitraryActions.js';
import { countingReads } from './countingReads.js';
import { deepFreeze } from './deepFreeze.js';
import { actionsOf, steps, TURN } from './longTurn.js';

const turn = { session: SESSION, at: 1, turnId: TURN };
const opened = [
  { type: 'session/ready', session: SESSION, at: 1 },
  { ...turn, type: 'session/turnStarted', userMessage: { text: 'go' } },
] satisfies SessionAction[];
const started = deepFreeze(opened.reduce(sessionReducer, newSession()));

function turnOf(state: SessionState): ActiveTurn {
  if (!state.activeTurn) throw new Error('no turn runs');
  return state.activeTurn;
}

function total({ earlierParts = 0, responseParts }: ActiveTurn): number {
  return earlierParts + responseParts.length;
}

describe('the window of a turn', () => {
  it('[PART6] holds what fits and what is open, and counts the rest', () => {
    holds(
      fc.property(steps, (all) => {
        let state = started;
        const gone: TurnStep[] = [];
        for (const action of actionsOf(all)) {
          const before = turnOf(state);
          state = deepFreeze(sessionReducer(state, action));
          const dropped = droppedSteps(before, turnOf(state));
          expect(dropped.filter(isOpenStep)).toEqual([]);
          gone.push(...dropped);
          expect(turnOf(state).responseParts.length).toBeLessThanOrEqual(MAX_TURN_PARTS + 200);
        }
        const held = turnSteps(turnOf(state));
        const indexes = [...gone, ...held].map(({ index }) => index).sort((a, b) => a - b);
        expect(indexes).toEqual(Array.from({ length: total(turnOf(state)) }, (_, n) => n));
        expect(gone.length).toBe(turnOf(state).earlierParts);
        expect(held.map(({ index }) => index)).toEqual(held.map(({ index }) => index).sort((a, b) => a - b));
        expect(Object.keys(turnOf(state).toolCalls).length).toBe(held.filter(({ call }) => call).length);
        // Between two counts there are a few parts of 60,000 code units at the most, each with a result of that length.
        expect(turnLength(turnOf(state))).toBeLessThan(MAX_TURN_LENGTH + 60 * 140_000);
        expect(SCHEMAS.SessionState.parse(state)).toStrictEqual(state);
      }),
      { numRuns: 8 },
    );
  });

  it('[PART6] does not depend on how text was cut into chunks', () => {
    holds(
      fc.property(steps, (all) => {
        const state = actionsOf(all).reduce(sessionReducer, started);
        expect(actionsOf(all, { merged: true }).reduce(sessionReducer, started)).toStrictEqual(state);
      }),
      { numRuns: 8 },
    );
  });

  it('[PART7] states with different windows stay equal in their common parts', () => {
    holds(
      fc.property(steps, fc.nat(1_000), fc.nat(100), (all, cut, parts) => {
        const actions = actionsOf(all);
        const half = actions.slice(0, cut).reduce(sessionReducer, started);
        const less = { ...half, activeTurn: withNewestParts(turnOf(half), { parts, size: Number.POSITIVE_INFINITY }) };
        const [whole, windowed] = [half, less].map((from) => actions.slice(cut).reduce(sessionReducer, from));
        if (!whole || !windowed) throw new Error('unreachable');
        const { activeTurn: wholeTurn, ...rest } = whole;
        const { activeTurn: windowedTurn, ...windowedRest } = windowed;
        expect(windowedRest).toStrictEqual(rest);
        expect(total(turnOf(windowed))).toBe(total(turnOf(whole)));
        const byIndex = new Map(turnSteps(turnOf(whole)).map((step) => [step.index, comparable(step)]));
        for (const step of turnSteps(turnOf(windowed))) {
          if (byIndex.has(step.index)) expect(comparable(step)).toStrictEqual(byIndex.get(step.index));
        }
        const open = (state: SessionState) => turnSteps(turnOf(state)).filter(isOpenStep).map(comparable);
        expect(open(windowed)).toStrictEqual(open(whole));
        expect(windowedTurn?.pendingPermissions).toStrictEqual(wholeTurn?.pendingPermissions);
      }),
      { numRuns: 8 },
    );
  });

  it('[WIN2] cuts an ended turn as well, and returns the same one when nothing is dropped', () => {
    const notices = Array.from({ length: 9 }, (_, n) => ({
      ...turn,
      type: 'session/responsePart' as const,
      part: { kind: 'notice', id: `n${n}`, text: 'x', severity: 'info' } as const,
    }));
    const [ended] = [...notices, { ...turn, type: 'session/turnComplete' as const }].reduce(
      sessionReducer,
      started,
    ).turns;
    if (!ended) throw new Error('no turn has ended');
    const room = { parts: 3, size: Number.POSITIVE_INFINITY };
    const cut = withNewestParts(ended, room);
    expect(cut).toStrictEqual({ ...ended, responseParts: ended.responseParts.slice(-3), earlierParts: 6 });
    expect(withNewestParts(cut, room)).toBe(cut);
    expect(withNewestParts(ended, { parts: 9, size: 0, sizeOf: () => 1 }).responseParts.length).toBe(1);
  });
});

describe('cost', () => {
  const call = (n: number): SessionAction[] => {
    const toolCallId = `call-${n}`;
    const shown = { toolCallId, toolName: 'bash', displayName: 'Bash', invocationMessage: 'Running it' };
    const result = { success: true, pastTenseMessage: 'Ran it' };
    return [
      {
        ...turn,
        type: 'session/toolStart',
        toolCall: { ...shown, status: 'running', confirmed: { how: 'notNeeded' } },
      },
      { ...turn, type: 'session/toolUpdate', toolCallId, output: 'output' },
      { ...turn, type: 'session/toolComplete', toolCallId, result },
    ];
  };
  const notice = (n: number): SessionAction[] => [
    { ...turn, type: 'session/responsePart', part: { kind: 'notice', id: `n${n}`, text: 'x', severity: 'info' } },
  ];

  it.each([
    ['calls', call],
    ['notices', notice],
  ])('[RED11] %s read and copy as much after 10,000 of them as after 1,000', (_, make) => {
    let state = started;
    const readsUntil = (from: number, to: number) => {
      let sum = 0;
      for (let n = from; n < to; n++) {
        for (const action of make(n)) {
          const before = state;
          state = sessionReducer(before, action);
          if (to - from <= 64) sum += countingReads(before, (counted) => sessionReducer(counted, action)).reads;
        }
      }
      return sum;
    };
    // 65 are dropped at once, and the text is counted with each eighth: after 520 everything is as it was.
    readsUntil(0, 1_000);
    const few = readsUntil(1_000, 1_064);
    expect(few).toBeGreaterThan(1_000);
    readsUntil(1_064, 1_000 + 520 * 18);
    expect(readsUntil(1_000 + 520 * 18, 1_064 + 520 * 18)).toBe(few);
  });
});

/** Without what only one of them says: where it stands, because of what is missing beside it. */
function comparable({ index, part, call }: TurnStep) {
  const { index: _, ...rest } = { index: undefined, ...part };
  return { index, part: rest, call };
}
