import type {
  ActiveTurn,
  ContentRef,
  NoticePart,
  ResponsePart,
  SteeringPart,
  ToolCallState,
  Turn,
} from '@agenthost/protocol';
import { TOOL_OUTPUT_HEAD } from '@agenthost/protocol/internal';

export type TurnEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'toolStarted' | 'toolWaits' | 'toolEnded'; readonly call: ToolCallState }
  | { readonly type: 'toolOutput'; readonly call: ToolCallState; readonly text: string }
  | { readonly type: 'toolOutputOmitted'; readonly call: ToolCallState; readonly characters: number }
  | { readonly type: 'notice'; readonly notice: NoticePart }
  | { readonly type: 'steering'; readonly steering: SteeringPart }
  | { readonly type: 'content'; readonly ref: ContentRef }
  /** Parts that the state dropped before they were read. */
  | { readonly type: 'stepsOmitted'; readonly steps: number };

/** Turns successive states of a turn into what is new in each. Also works for an ended turn. */
export class TurnReader {
  /** How much of each part was reported. */
  readonly #told = new Map<string, number>();
  readonly #calls = new Map<string, { status: ToolCallState['status'] | undefined; output: number }>();

  /** How many parts the turn had at the last reading. */
  #seen = 0;

  *read(turn: ActiveTurn | Turn): Generator<TurnEvent> {
    const { earlierParts = 0, responseParts } = turn;
    if (earlierParts > this.#seen) yield { type: 'stepsOmitted', steps: earlierParts - this.#seen };
    this.#seen = earlierParts + responseParts.length;
    for (const part of turn.responseParts) {
      if (part.kind === 'toolCall') {
        const call = callOf(turn, part.toolCallId);
        if (call) yield* this.#readCall(call);
      } else yield* this.#readPart(part);
    }
  }

  *#readPart(part: Exclude<ResponsePart, { kind: 'toolCall' }>): Generator<TurnEvent> {
    const key = `${part.kind}:${part.id}`;
    const before = this.#told.get(key);
    if (part.kind === 'markdown' || part.kind === 'reasoning') {
      const text = part.content.slice(before ?? 0);
      this.#told.set(key, part.content.length);
      if (text !== '') yield { type: part.kind === 'markdown' ? 'text' : 'reasoning', text };
      return;
    }
    this.#told.set(key, 1);
    if (before !== undefined) return;
    if (part.kind === 'notice') yield { type: 'notice', notice: part };
    else if (part.kind === 'steering') yield { type: 'steering', steering: part };
    else yield { type: 'content', ref: part.ref };
  }

  *#readCall(call: ToolCallState): Generator<TurnEvent> {
    const known = this.#calls.get(call.toolCallId) ?? { status: undefined, output: 0 };
    this.#calls.set(call.toolCallId, known);
    const before = known.status;
    known.status = call.status;
    if (before !== call.status && call.status === 'pendingConfirmation') yield { type: 'toolWaits', call };
    if (before !== call.status && call.status === 'running') yield { type: 'toolStarted', call };
    yield* this.#readOutput(call, known);
    if (before !== call.status && (call.status === 'completed' || call.status === 'cancelled')) {
      yield { type: 'toolEnded', call };
    }
  }

  /** Live output keeps its head and tail: what came too fast is missing in between. */
  *#readOutput(call: ToolCallState, known: { output: number }): Generator<TurnEvent> {
    if (call.status === 'pendingConfirmation' || !call.output) return;
    const { text, omitted = 0 } = call.output;
    const total = text.length + omitted;
    const isNew = total - known.output;
    if (isNew <= 0) return;
    const tail = omitted > 0 ? text.length - TOOL_OUTPUT_HEAD : text.length;
    if (isNew > tail && known.output < TOOL_OUTPUT_HEAD) {
      yield { type: 'toolOutput', call, text: text.slice(known.output, TOOL_OUTPUT_HEAD) };
    }
    const missing = isNew - tail - Math.max(TOOL_OUTPUT_HEAD - known.output, 0);
    if (omitted > 0 && missing > 0) yield { type: 'toolOutputOmitted', call, characters: missing };
    known.output = total;
    yield { type: 'toolOutput', call, text: text.slice(-Math.min(isNew, tail)) };
  }
}

export function callOf({ toolCalls }: ActiveTurn | Turn, id: string): ToolCallState | undefined {
  if (Array.isArray(toolCalls)) return (toolCalls as readonly ToolCallState[]).find((call) => call.toolCallId === id);
  const calls = toolCalls as Readonly<Record<string, ToolCallState>>;
  return Object.hasOwn(calls, id) ? calls[id] : undefined;
}
