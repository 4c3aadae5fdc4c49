import type { ActiveTurn, ResponsePart, ToolCallState, Turn, UsageInfo } from '@agenthost/protocol';
import { type AddedPart, dateOf } from '@agenthost/protocol/internal';
import type { AhpActiveTurn, AhpPart, AhpTurn, AhpUsage } from '../types.js';
import { contentRefOf, turnMessageOf } from './messages.js';
import { inputRequestOf, openQuestions, questionOfCall } from './questions.js';
import { toolCallOf } from './toolCalls.js';

export function isoTime(ms: number): string {
  return dateOf(ms).toISOString();
}

export function turnOf(turn: Turn): AhpTurn {
  const calls = new Map(turn.toolCalls.map((call) => [call.toolCallId, call]));
  const parts = turn.responseParts.flatMap((part) =>
    partOf(part, (id) => {
      const call = calls.get(id);
      return call && toolCallOf(call, undefined);
    }),
  );
  const { error } = turn;
  return {
    id: turn.id,
    startedAt: isoTime(turn.startedAt),
    duration: durationOf(turn.startedAt, turn.endedAt),
    message: turnMessageOf(turn, turn.model),
    responseParts: [...earlierParts(turn), ...parts, ...(error ? [{ kind: 'error', error } as const] : [])],
    ...(turn.usage && { usage: usageOf(turn.usage) }),
    state: turn.state,
    ...(error && { error }),
  };
}

export function activeTurnOf(turn: ActiveTurn): AhpActiveTurn {
  const parts = turn.responseParts.flatMap((part) => partOf(part, (id) => activeCallOf(turn, id)));
  const questions = openQuestions(turn).map(
    (request): AhpPart => ({ kind: 'inputRequest', request: inputRequestOf(request) }),
  );
  return {
    id: turn.id,
    startedAt: isoTime(turn.startedAt),
    message: turnMessageOf(turn, turn.model),
    responseParts: [...earlierParts(turn), ...parts, ...questions],
    ...(turn.usage && { usage: usageOf(turn.usage) }),
  };
}

/** The state has only the newest parts of a long turn, and AHP has no command for the others: a note says how many are missing. */
function earlierParts({ earlierParts: count = 0 }: Turn | ActiveTurn): AhpPart[] {
  if (count === 0) return [];
  const content = `${count.toLocaleString('en')} earlier steps of this turn are not shown. "agenthost log" shows them.`;
  return [{ kind: 'systemNotification', content, _meta: { severity: 'info' } }];
}

export function activeCallOf(turn: ActiveTurn, toolCallId: string) {
  const call: ToolCallState | undefined = Object.hasOwn(turn.toolCalls, toolCallId)
    ? turn.toolCalls[toolCallId]
    : undefined;
  return call && toolCallOf(call, questionOfCall(turn, toolCallId));
}

/** Never negative, even if the clock was set back. */
export function durationOf(startedAt: number, endedAt: number): number {
  return Math.max(0, endedAt - startedAt);
}

export function usageOf({ cost, contextUsed: _, contextSize: __, ...usage }: UsageInfo): AhpUsage {
  return { ...usage, ...(cost !== undefined && { _meta: { cost } }) };
}

function partOf(part: ResponsePart, callOf: (id: string) => ReturnType<typeof toolCallOf> | undefined): AhpPart[] {
  if (part.kind !== 'toolCall') return [addedPartOf(part)];
  const toolCall = callOf(part.toolCallId);
  return toolCall ? [{ kind: 'toolCall', toolCall }] : [];
}

export function addedPartOf(part: AddedPart): AhpPart {
  switch (part.kind) {
    case 'markdown':
    case 'reasoning':
      return { kind: part.kind, id: part.id, content: part.content };
    case 'contentRef':
      return { kind: 'contentRef', ...contentRefOf(part.ref) };
    case 'notice':
      return { kind: 'systemNotification', content: part.text, _meta: { severity: part.severity } };
    case 'steering':
      return { kind: 'systemNotification', content: `${part.by?.name ?? 'Somebody'}: ${part.userMessage.text}` };
  }
}
