import {
  type CompletedToolCall,
  heldFrom,
  MAX_PARTS_LIMIT,
  type Turn,
  type TurnStep,
  turnSteps,
  type URI,
} from '@agenthost/protocol';
import type { CommandChannel, CommandOptions } from '../connection/commandChannel.js';

export interface EarlierStepsOptions extends CommandOptions {
  /** Those before this place among all parts of the turn; before those that the state has unless told. */
  readonly before?: number;
  /** MAX_PARTS_LIMIT at the most, and unless told; there are fewer where they are large. */
  readonly limit?: number;
}

export interface EarlierSteps {
  /** Oldest first, without a gap. */
  readonly steps: readonly TurnStep[];
  /** How many are before them. */
  readonly earlier: number;
}

export async function fetchSteps(
  commands: CommandChannel,
  session: URI,
  turnId: string,
  { before, limit = MAX_PARTS_LIMIT, ...options }: EarlierStepsOptions,
): Promise<EarlierSteps> {
  const params = { session, turnId, limit: Math.min(limit, MAX_PARTS_LIMIT), ...(before !== undefined && { before }) };
  const { parts, toolCalls, earlier } = await commands.request('fetchParts', params, options);
  const calls = new Map(toolCalls.map((call) => [call.toolCallId, call]));
  const steps = parts.map((part, at): TurnStep => {
    const call = part.kind === 'toolCall' ? calls.get(part.toolCallId) : undefined;
    return { index: earlier + at, part, ...(call && { call }) };
  });
  return { steps, earlier };
}

export async function* turnPieces(
  commands: CommandChannel,
  session: URI,
  turn: Turn,
  options: CommandOptions,
): AsyncGenerator<Turn, void, undefined> {
  const held = heldFrom(turn);
  for (let from = 0; from < held; from += MAX_PARTS_LIMIT) {
    const to = Math.min(from + MAX_PARTS_LIMIT, held);
    const steps: TurnStep[] = [];
    // What is large comes in several pages, the last of it first.
    for (let before = to; before > from; ) {
      const page = await fetchSteps(commands, session, turn.id, { ...options, before, limit: before - from });
      if (page.steps.length === 0) throw new Error(`the host has no parts before ${before} of the turn ${turn.id}`);
      steps.unshift(...page.steps);
      before = page.earlier;
    }
    yield piece(turn, steps, false);
  }
  yield held === 0
    ? turn
    : piece(
        turn,
        turnSteps(turn).filter(({ index }) => index >= held),
        true,
      );
}

export async function wholeTurn(pieces: AsyncIterable<Turn>): Promise<Turn> {
  const all: Turn[] = [];
  for await (const one of pieces) all.push(one);
  const last = all.at(-1);
  if (!last) throw new Error('a turn has at least one piece');
  const { earlierParts: _, ...turn } = last;
  return {
    ...turn,
    responseParts: all.flatMap(({ responseParts }) => responseParts),
    toolCalls: all.flatMap(({ toolCalls }) => toolCalls),
  };
}

/** A turn in pieces that are not larger than this, as JSON. A part that is larger alone is a piece. */
export function* piecesOf(turn: Turn, maxBytes: number): Generator<Turn, void, undefined> {
  const encoder = new TextEncoder();
  const bytesOf = (value: unknown) => (value === undefined ? 0 : encoder.encode(JSON.stringify(value)).length + 1);
  const around = bytesOf(piece(turn, [], true)) + 64;
  let steps: TurnStep[] = [];
  let bytes = around;
  for (const step of turnSteps(turn)) {
    const size = bytesOf(step.part) + bytesOf(step.call);
    if (steps.length > 0 && bytes + size > maxBytes) {
      yield piece(turn, steps, false);
      [steps, bytes] = [[], around];
    }
    steps.push(step);
    bytes += size;
  }
  yield piece(turn, steps, true);
}

/** What is said of the turn as a whole is said with its end. */
function piece(turn: Turn, steps: readonly TurnStep[], isLast: boolean): Turn {
  const { earlierParts: _, answeredPermissions, usage, ...rest } = turn;
  const [first] = steps;
  return {
    ...rest,
    responseParts: steps.map(({ part }) => part),
    ...(first && first.index > 0 && { earlierParts: first.index }),
    toolCalls: steps.flatMap(({ call }) => (call ? [call as CompletedToolCall] : [])),
    ...(isLast && answeredPermissions && { answeredPermissions }),
    ...(isLast && usage && { usage }),
  };
}
