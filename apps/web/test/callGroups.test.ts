import type { CompletedToolCall, TurnStep } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import {
  countCalls,
  isGroupable,
  nestSteps,
  shownCalls,
  splitRow,
  stepsBelow,
} from '../src/conversation/turn/callGroups.js';

let calls = 0;
function call(pastTenseMessage: string, { success = true, terminal = false, diff = false } = {}): CompletedToolCall {
  calls += 1;
  return {
    toolCallId: `call ${calls}`,
    toolName: 'any',
    displayName: 'Any',
    invocationMessage: 'Doing it',
    ...(terminal && { toolKind: 'terminal' as const }),
    status: 'completed',
    confirmed: { how: 'notNeeded' },
    result: {
      success,
      pastTenseMessage,
      ...(diff && {
        content: [
          { type: 'fileEdit' as const, uri: 'file:///a', insertions: 1, deletions: 0, diff: '@@ -0,0 +1 @@\n+a\n' },
        ],
      }),
    },
    startedAt: 1,
    endedAt: 2,
  };
}

describe('tool calls in a row', () => {
  it('are counted by what they did', () => {
    const row = [
      call('Ran `ls`', { terminal: true }),
      call('Read `a.ts`'),
      call('Read `b.ts`'),
      call('Thought about it'),
      call('Ran out of ideas'),
    ];
    expect(countCalls(row).map(({ verb, what }) => `${verb} ${what}`)).toEqual([
      'Ran 1 command',
      'read 2 files',
      'used 2 tools',
    ]);
  });

  it('leave a failed command at their end alone, and a single call too', () => {
    const [a, b] = [call('Read a'), call('Read b')];
    const failed = call('Ran it', { terminal: true, success: false });
    expect(splitRow([a, b, failed])).toEqual({ group: [a, b], alone: [failed] });
    expect(splitRow([a, failed, b])).toEqual({ group: [a, failed, b], alone: [] });
    expect(splitRow([a])).toEqual({ group: [], alone: [a] });
    expect(splitRow([a, failed])).toEqual({ group: [], alone: [a, failed] });
    expect(splitRow([])).toEqual({ group: [], alone: [] });
  });

  it('do not take in what runs, waits, was denied, or is shown as a diff', () => {
    const { result: _, endedAt: __, ...base } = call('Read a') as Extract<CompletedToolCall, { status: 'completed' }>;
    expect(isGroupable({ ...base, status: 'running' })).toBe(false);
    const { confirmed: ___, ...asked } = base;
    expect(isGroupable({ ...asked, status: 'pendingConfirmation', confirmation: {} })).toBe(false);
    expect(isGroupable({ ...base, status: 'cancelled', cancelled: 'denied', endedAt: 2 })).toBe(false);
    expect(isGroupable({ ...base, status: 'cancelled', cancelled: 'turnEnded', endedAt: 2 })).toBe(true);
    expect(isGroupable(call('Edited a', { diff: true }))).toBe(false);
    expect(isGroupable(call('Failed: Editing a', { diff: true, success: false }))).toBe(true);
  });

  it('show failed ones in any case', () => {
    const row = Array.from({ length: 20 }, (_, n) => call(`Read ${n}`, { success: n !== 11 }));
    expect([...shownCalls(row, false)].map((one) => row.indexOf(one))).toEqual([0, 1, 2, 11, 19]);
    expect(shownCalls(row, true).size).toBe(20);
    expect(shownCalls(row.slice(0, 6), false).size).toBe(6);
  });
});

describe('[TOOL10] calls of sub-agents', () => {
  const step = (toolCallId: string, parentToolCallId?: string): TurnStep => {
    const one = { ...call('Read a'), toolCallId, ...(parentToolCallId !== undefined && { parentToolCallId }) };
    return { index: 0, part: { kind: 'toolCall', toolCallId }, call: one };
  };
  const ids = (steps: readonly TurnStep[]) => steps.map((one) => one.call?.toolCallId);

  it('are under the call that started them', () => {
    const nested = nestSteps([step('a'), step('b', 'a'), step('c'), step('d', 'b'), step('e', 'a')]);
    expect(ids(nested.top)).toEqual(['a', 'c']);
    expect(ids(nested.under.get('a') ?? [])).toEqual(['b', 'e']);
    expect(ids(stepsBelow(nested, 'a'))).toEqual(['b', 'd', 'e']);
  });

  it('are at the top level without such a call before them, and in a circle', () => {
    const nested = nestSteps([step('a', 'gone'), step('b', 'c'), step('c', 'b'), step('d', 'd')]);
    expect(ids(nested.top)).toEqual(['a', 'b', 'd']);
    expect(ids(stepsBelow(nested, 'b'))).toEqual(['c']);
  });

  it('are nested to a limited depth', () => {
    const nested = nestSteps(Array.from({ length: 3_000 }, (_, n) => step(`c${n}`, `c${n - 1}`)));
    expect(ids(nested.top)).toEqual(['c0']);
    expect(nested.under.size).toBe(4);
    expect(stepsBelow(nested, 'c0')).toHaveLength(2_999);
  });
});
