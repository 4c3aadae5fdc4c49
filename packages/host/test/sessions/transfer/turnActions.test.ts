import {
  type CompletedToolCall,
  type ResponsePart,
  type SessionState,
  sessionReducer,
  type Turn,
} from '@agenthost/protocol';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../../test/support/holds.js';
import { history, newSession, OPENING, SESSION } from '../../../../protocol/test/reducers/arbitraryActions.js';
import { turnEnd, turnParts, turnStart } from '../../../src/sessions/transfer/turnActions.js';

const fold = (actions: readonly Parameters<typeof sessionReducer>[1][]): SessionState =>
  actions.reduce(sessionReducer, OPENING.reduce(sessionReducer, newSession()));

const imported = (turns: readonly Turn[]): readonly Turn[] =>
  fold(
    turns.flatMap((turn) => [turnStart(turn, SESSION), ...turnParts(turn, SESSION), ...turnEnd(turn, SESSION)]),
  ).turns.slice(-turns.length);

describe('[IMP2] the actions of a turn', () => {
  it('make the same turn again, except for authors, references and omitted parts', () => {
    holds(
      fc.property(history, (actions) => {
        const { turns } = fold(actions);
        const once = turns.length === 0 ? [] : imported(turns);
        expect(once.map(essence)).toEqual(turns.map(essence));
        // What was imported can be imported again, and nothing more is lost.
        expect(once.length === 0 ? [] : imported(once)).toEqual(once);
      }),
      { numRuns: 500 },
    );
  });

  it('say how much of an output is missing', () => {
    const head = 'a'.repeat(8_192);
    const tail = 'b'.repeat(8_192);
    const output = { text: head + tail, truncated: true, omitted: 1_000, ref: { uri: 'mock://s1/c1' } };
    const [turn] = imported([turnWith({ ...call, output })]);
    const text = turn?.toolCalls[0]?.output?.text ?? '';
    expect(text).toMatch(/^a{8192}\n… 1000 characters were not imported …\nb+$/);
    expect(turn?.toolCalls[0]?.output).toEqual({ text });
  });

  it('leave out references to content of the other session', () => {
    const ref = { uri: 'mock://other/c1', mimeType: 'image/png' };
    const content = [
      { type: 'text', text: 'kept' },
      { type: 'contentRef', ref },
      { type: 'fileEdit', uri: 'file:///a', insertions: 1, deletions: 0, before: ref, after: ref },
    ] as const;
    const userMessage = { text: 'long', textRef: ref, attachments: [{ kind: 'image', label: 'a', ref }] } as const;
    const steering = { kind: 'steering', id: 'p8', userMessage } as const;
    const reference = { kind: 'contentRef', id: 'p9', ref } as const;
    const made = turnWith({ ...call, result: { ...call.result, content } }, [steering, reference]);
    const [turn] = imported([{ ...made, userMessage }]);
    expect(JSON.stringify(turn)).not.toContain('mock://');
    expect(turn?.toolCalls[0]).toMatchObject({
      result: { content: [{ text: 'kept' }, { type: 'fileEdit', insertions: 1 }] },
    });
    expect(turn?.responseParts.at(-1)).toMatchObject({ kind: 'notice', text: expect.stringContaining('image/png') });
  });
});

const call: Extract<CompletedToolCall, { status: 'completed' }> = {
  toolCallId: 'c1',
  toolName: 'x',
  displayName: 'X',
  invocationMessage: 'Doing x',
  status: 'completed',
  confirmed: { how: 'notNeeded' },
  result: { success: true, pastTenseMessage: 'Did x' },
  startedAt: 2,
  endedAt: 3,
};

function turnWith(toolCall: CompletedToolCall, parts: readonly ResponsePart[] = []): Turn {
  return {
    id: 't1',
    userMessage: { text: 'go' },
    responseParts: [{ kind: 'toolCall', toolCallId: toolCall.toolCallId }, ...parts],
    toolCalls: [toolCall],
    state: 'complete',
    startedAt: 1,
    endedAt: 4,
  };
}

/** What survives: everything but authors and references. */
function essence({
  id,
  userMessage,
  responseParts,
  toolCalls,
  usage,
  state,
  error,
  startedAt,
  endedAt,
}: Turn): unknown {
  const parts = responseParts.map((part) => (part.kind === 'toolCall' ? part.toolCallId : part.id));
  const calls = toolCalls.map((toolCall) => {
    const { toolCallId, displayName, toolInput, status, startedAt: began } = toolCall;
    const end = toolCall.status === 'cancelled' && toolCall.cancelled === 'turnEnded' ? endedAt : toolCall.endedAt;
    return { toolCallId, displayName, toolInput, status, began, end, output: toolCall.output?.text.slice(0, 100) };
  });
  return { id, userMessage, parts, calls, usage, state, error, startedAt, endedAt };
}
