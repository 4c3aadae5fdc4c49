import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../test/support/holds.js';
import { TOOL_OUTPUT_HEAD, TOOL_OUTPUT_TAIL } from '../../src/limits.js';
import { findPendingMessage } from '../../src/reducers/pendingMessages.js';
import { createRootState, rootReducer } from '../../src/reducers/rootReducer.js';
import { sessionReducer } from '../../src/reducers/sessionReducer.js';
import { deriveStatus } from '../../src/reducers/summary.js';
import { appendToolOutput, viewToolOutput } from '../../src/reducers/toolOutput.js';
import { SCHEMAS } from '../../src/schemas/schemas.js';
import type { SessionAction } from '../../src/types/actions.js';
import type { SessionState } from '../../src/types/sessionState.js';
import type { ToolOutput } from '../../src/types/toolCalls.js';
import { withNewestTurns } from '../../src/windows.js';
import { anyAction, history, newSession, OPENING, SESSION } from './arbitraryActions.js';
import { countingReads } from './countingReads.js';
import { deepFreeze } from './deepFreeze.js';

fc.configureGlobal({ numRuns: 300 });

const reduce = (actions: readonly SessionAction[], from = newSession()) => actions.reduce(sessionReducer, from);

const delta = (content: string): SessionAction => ({
  type: 'session/delta',
  session: SESSION,
  at: 5,
  turnId: 't1',
  partId: 'p1',
  content,
});

describe('sessionReducer, over random histories', () => {
  it('[RED1,RED2] never throws and never changes its input', () => {
    holds(
      fc.property(history, (actions) => {
        let state = deepFreeze(newSession());
        for (const action of deepFreeze(actions)) state = deepFreeze(sessionReducer(state, action));
      }),
    );
  });

  it('[RED3] returns an equal state only as the same reference', () => {
    // Actions that replace a value by one which happens to be equal are the exception: the reducer need not compare deeply.
    const replaces = new Set([
      'session/usage',
      'session/approvalsChanged',
      'session/clientsChanged',
      'session/clientToolsChanged',
      'session/customizationsChanged',
      'session/pendingMessageSet',
      'session/toolStart',
    ]);
    holds(
      fc.property(history, anyAction, (actions, action) => {
        const before = reduce(actions);
        const after = sessionReducer(before, action);
        if (after !== before && !replaces.has(action.type)) expect(after).not.toStrictEqual(before);
      }),
    );
  });

  it('[RED4,RED5] ignores unknown types and other sessions', () => {
    holds(
      fc.property(history, anyAction, fc.string(), (actions, action, type) => {
        const state = reduce(actions);
        expect(sessionReducer(state, { ...action, type: `session/x${type}` } as unknown as SessionAction)).toBe(state);
        expect(sessionReducer(state, { ...action, session: `${SESSION}x` })).toBe(state);
      }),
    );
    const root = createRootState();
    expect(rootReducer(root, { type: 'root/later' } as never)).toBe(root);
  });

  it('[RED6] computes the same from the same', () => {
    holds(
      fc.property(history, (actions) => {
        expect(reduce(actions)).toStrictEqual(reduce(structuredClone(actions)));
      }),
    );
  });

  it('[RED9] does not depend on how many ended turns are kept', () => {
    holds(
      fc.property(history, history, fc.nat(3), (before, after, window) => {
        const { turns: _, earlierTurns: __, ...rest } = reduce(after, reduce(before));
        const windowed = reduce(after, withNewestTurns(reduce(before), window));
        const { turns: ___, earlierTurns: ____, ...windowedRest } = windowed;
        expect(windowedRest).toStrictEqual(rest);
        expect(windowed.turns.length + (windowed.earlierTurns ?? 0)).toBe(reduce([...before, ...after]).turns.length);
      }),
    );
  });

  it('[RED12] never changes an ended turn, nor its position', () => {
    holds(
      fc.property(history, anyAction, (actions, action) => {
        const before = reduce(actions);
        const { turns } = sessionReducer(before, action);
        for (const [at, turn] of before.turns.entries()) expect(turns[at]).toBe(turn);
      }),
    );
  });

  it('[SUM1] keeps the status that follows from the turns, and states that the schema accepts', () => {
    holds(
      fc.property(history, (actions) => {
        const state = reduce(actions);
        expect(state.summary.status).toBe(deriveStatus(state));
        const parsed = SCHEMAS.SessionState.safeParse(JSON.parse(JSON.stringify(state)));
        expect(parsed.error?.issues ?? []).toEqual([]);
      }),
    );
  });

  it('[FATE1,PEND3] never loses or doubles a pending message', () => {
    holds(
      fc.property(history, anyAction, (actions, action) => {
        const before = reduce(actions);
        const after = sessionReducer(before, action);
        const waiting = pendingIds(after);
        expect(new Set(waiting).size).toBe(waiting.length);
        for (const id of pendingIds(before)) {
          const gone = !findPendingMessage(after, id);
          if (gone) expect(whereItWent(action, id, after)).not.toBe('nowhere');
        }
      }),
    );
  });

  it('[RED7] copies only the path to what changed', () => {
    const ends = new Set(['session/turnComplete', 'session/turnCancelled', 'session/error']);
    const middle = fc.array(anyAction.filter((action) => !ends.has(action.type)));
    holds(
      fc.property(middle, (actions) => {
        const before = reduce(actions, reduce(OPENING));
        const after = sessionReducer(before, delta('x'));
        expect(after).not.toBe(before);
        const { activeTurn: turnBefore, ...restBefore } = before;
        const { activeTurn: turnAfter, ...restAfter } = after;
        expectSameReferences(restBefore, restAfter);
        const { responseParts: partsBefore, ...inTurnBefore } = turnBefore ?? { responseParts: [] };
        const { responseParts: partsAfter, ...inTurnAfter } = turnAfter ?? { responseParts: [] };
        expectSameReferences(inTurnBefore, inTurnAfter);
        const changed = partsAfter.filter((part, index) => part !== partsBefore[index]);
        expect(changed).toMatchObject([{ kind: 'markdown', id: 'p1' }]);
      }),
    );
  });
});

describe('cost', () => {
  it('[RED8] a delta reads and copies as much after 10,000 deltas as after ten', () => {
    const one = delta('twenty bytes of text');
    const readsAfter = (deltas: number) => {
      const state = reduce(Array(deltas).fill(one), reduce(OPENING));
      return countingReads(state, (counted) => sessionReducer(counted, one)).reads;
    };
    const few = readsAfter(10);
    expect(few).toBeGreaterThan(10);
    expect(readsAfter(10_000)).toBe(few);
  });

  it('[TOOL5] live output stays bounded', () => {
    let output: ToolOutput | undefined;
    for (let i = 0; i < 2_000; i++) output = appendToolOutput(output, 'x'.repeat(100));
    expect(output?.text.length).toBe(TOOL_OUTPUT_HEAD + TOOL_OUTPUT_TAIL);
    expect(output?.omitted).toBe(200_000 - TOOL_OUTPUT_HEAD - TOOL_OUTPUT_TAIL);
  });
});

describe('chunks', () => {
  const long = fc.string({ minLength: TOOL_OUTPUT_HEAD, maxLength: 2 * TOOL_OUTPUT_HEAD + 2 * TOOL_OUTPUT_TAIL });
  const cuts = fc.array(fc.nat(4 * TOOL_OUTPUT_HEAD), { maxLength: 20 });

  it('[TOOL5] live output does not depend on how it was cut', () => {
    holds(
      fc.property(long, cuts, (text, at) => {
        const whole = appendToolOutput(undefined, text);
        const inChunks = pieces(text, at).reduce<ToolOutput | undefined>(appendToolOutput, undefined);
        expect(inChunks).toStrictEqual(whole);
        const { head, omitted, tail } = viewToolOutput(whole);
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        if (omitted === 0) expect(head).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it('[PART2] merged deltas give the same text', () => {
    holds(
      fc.property(fc.string(), cuts, (text, at) => {
        const inPieces = pieces(text, at).map(delta);
        expect(reduce(inPieces, reduce(OPENING))).toStrictEqual(reduce([delta(text)], reduce(OPENING)));
      }),
    );
  });
});

function pieces(text: string, cuts: readonly number[]): string[] {
  const at = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}

function pendingIds(state: SessionState): string[] {
  const steering = state.steeringMessage ? [state.steeringMessage.id] : [];
  return [...steering, ...(state.queuedMessages ?? []).map((message) => message.id)];
}

function whereItWent(action: SessionAction, id: string, after: SessionState): 'turn' | 'takenBack' | 'nowhere' {
  if (action.type === 'session/creationFailed' && after.turns.some((turn) => turn.id === id)) return 'turn';
  if (action.type === 'session/turnStarted' && action.queuedMessageId === id) return 'turn';
  if (action.type === 'session/responsePart' && action.part.kind === 'steering' && action.part.id === id) return 'turn';
  if (action.type === 'session/pendingMessageRemoved' && action.id === id) return 'takenBack';
  return 'nowhere';
}

function expectSameReferences(a: object, b: object): void {
  expect(Object.keys(b)).toEqual(Object.keys(a));
  for (const [key, value] of Object.entries(a)) expect(Reflect.get(b, key)).toBe(value);
}
