import { ownValue } from '../safeKey.js';
import type { ToolCallResult, ToolCallState } from '../types/toolCalls.js';
import type { ActiveTurn, ResponsePart, Turn, UserMessage } from '../types/turns.js';

/** A part of a turn with its place among all parts of the turn, and its tool call. */
export interface TurnStep {
  readonly index: number;
  readonly part: ResponsePart;
  readonly call?: ToolCallState;
}

/**
 * The steps that the turn holds, oldest first.
 *
 * @example
 * ```ts
 * declare const turn: Turn;
 *
 * for (const { index, part, call } of turnSteps(turn)) console.log(index, part.kind, call?.displayName);
 * ```
 */
export function turnSteps(turn: ActiveTurn | Turn): TurnStep[] {
  const { responseParts, earlierParts = 0 } = turn;
  const find = callFinder(turn);
  return responseParts.map((part, at) => {
    if (part.kind !== 'toolCall') return { index: earlierParts + at, part };
    const call = find(part.toolCallId);
    return { index: part.index ?? earlierParts + at, part, ...(call && { call }) };
  });
}

/** From this place on the turn holds all of its parts; before it only those of open calls. */
export function heldFrom({ responseParts, earlierParts = 0 }: ActiveTurn | Turn): number {
  return earlierParts + responseParts.filter((part) => part.kind === 'toolCall' && part.index !== undefined).length;
}

/** What `before` holds and `after`, the same turn later on, does not hold any more. */
export function droppedSteps(before: ActiveTurn, after: ActiveTurn | Turn): TurnStep[] {
  if ((before.earlierParts ?? 0) === (after.earlierParts ?? 0)) return [];
  const held = new Set(turnSteps(after).map(({ index }) => index));
  return turnSteps(before).filter(({ index }) => !held.has(index));
}

/** Its call may still change. */
export function isOpenStep({ call }: Pick<TurnStep, 'call'>): boolean {
  return call?.status === 'running' || call?.status === 'pendingConfirmation';
}

/** What a step counts beside its text. */
const STEP_LENGTH = 200;

/** About how much of the state a step takes, in code units. */
export function stepLength({ part, call }: Pick<TurnStep, 'part' | 'call'>): number {
  return STEP_LENGTH + partLength(part) + (call ? callLength(call) : 0);
}

/** The same for all steps that the turn holds. */
export function turnLength(turn: ActiveTurn): number {
  let length = 0;
  for (const part of turn.responseParts) {
    const call = part.kind === 'toolCall' ? ownValue(turn.toolCalls, part.toolCallId) : undefined;
    length += stepLength(call ? { part, call } : { part });
  }
  return length;
}

function callFinder({ toolCalls }: ActiveTurn | Turn): (toolCallId: string) => ToolCallState | undefined {
  if (!isList(toolCalls)) return (toolCallId) => ownValue(toolCalls, toolCallId);
  const byId = new Map(toolCalls.map((call) => [call.toolCallId, call]));
  return (toolCallId) => byId.get(toolCallId);
}

export function isList(toolCalls: (ActiveTurn | Turn)['toolCalls']): toolCalls is Turn['toolCalls'] {
  return Array.isArray(toolCalls);
}

function partLength(part: ResponsePart): number {
  switch (part.kind) {
    case 'markdown':
    case 'reasoning':
      return part.content.length;
    case 'notice':
      return part.text.length;
    case 'steering':
      return messageLength(part.userMessage);
    case 'contentRef':
      return part.ref.uri.length;
    case 'toolCall':
      return 0;
    default:
      part satisfies never;
      return 0;
  }
}

function messageLength({ text, attachments = [] }: UserMessage): number {
  return attachments.reduce(
    (sum, { label, uri = '', data = '' }) => sum + label.length + uri.length + data.length,
    text.length,
  );
}

function callLength(call: ToolCallState): number {
  const { displayName, invocationMessage, toolInput = '' } = call;
  const length = displayName.length + invocationMessage.length + toolInput.length;
  if (call.status === 'pendingConfirmation') return length;
  const live = call.output?.text.length ?? 0;
  return length + live + (call.status === 'completed' ? resultLength(call.result) : 0);
}

function resultLength({ pastTenseMessage, toolOutput = '', content = [], error }: ToolCallResult): number {
  let length = pastTenseMessage.length + toolOutput.length + (error?.message.length ?? 0);
  for (const entry of content) {
    if (entry.type === 'text') length += entry.text.length;
    else if (entry.type === 'fileEdit') length += entry.uri.length + (entry.diff?.length ?? 0);
    else length += entry.ref.uri.length;
  }
  return length;
}
