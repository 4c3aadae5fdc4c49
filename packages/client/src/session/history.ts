import {
  type CompletedToolCall,
  MAX_FRAME_BYTES,
  MAX_JSON_VALUES,
  MAX_PARTS_LIMIT,
  MAX_SNAPSHOT_TURNS,
  type Turn,
  type TurnStep,
  turnSteps,
  type URI,
} from '@agenthost/protocol';
import { heldFrom } from '@agenthost/protocol/internal';
import { jsonValues } from '@agenthost/rpc/internal';
import type { CommandChannel, CommandOptions } from '../connection/commandChannel.js';

export interface HistoryOptions {
  /** Turns older than this one. Default: older than those in `state`. */
  readonly before?: string;
  /** Also the turns that `state` holds. */
  readonly includeLoaded?: boolean;
  /** Turns in one page; no more than one page is held. Default 50, at most MAX_SNAPSHOT_TURNS. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

const DEFAULT_PAGE_SIZE = 50;

/** Walks back in time: the newest turn first. */
export async function* sessionHistory(
  commands: CommandChannel,
  session: URI,
  oldestLoaded: () => string | undefined,
  { before: start, includeLoaded = false, pageSize = DEFAULT_PAGE_SIZE, signal }: HistoryOptions,
): AsyncGenerator<Turn, void, undefined> {
  let before = start ?? (includeLoaded ? undefined : oldestLoaded());
  for (;;) {
    const range = { limit: Math.min(pageSize, MAX_SNAPSHOT_TURNS), ...(before !== undefined && { before }) };
    const { turns, hasMore } = await commands.request('fetchTurns', { session, range }, { signal });
    yield* turns.toReversed();
    // A page without turns would be asked for again and again, whatever `hasMore` says.
    if (!hasMore || turns[0] === undefined) return;
    before = turns[0].id;
  }
}

export interface EarlierStepsOptions extends CommandOptions {
  /** Parts before this position in the turn. Default: before those that the state has. */
  readonly before?: number;
  /** Default and maximum MAX_PARTS_LIMIT; a page has fewer parts when they are large. */
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

/** A turn in pieces that are not heavier than this. A part that is heavier alone is a piece. */
export function* piecesOf(turn: Turn, maxWeight: number): Generator<Turn, void, undefined> {
  const around = frameWeight(piece(turn, [], true)) + 64;
  let steps: TurnStep[] = [];
  let weight = around;
  for (const step of turnSteps(turn)) {
    const added = frameWeight(step.part) + frameWeight(step.call);
    if (steps.length > 0 && weight + added > maxWeight) {
      yield piece(turn, steps, false);
      [steps, weight] = [[], around];
    }
    steps.push(step);
    weight += added;
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

export const MAX_FRAME_WEIGHT = MAX_FRAME_BYTES;
const WEIGHT_OF_VALUE = MAX_FRAME_BYTES / MAX_JSON_VALUES;

/** How much of a frame a value takes: a frame is full with its bytes or with the number of its values, whichever comes first. */
export function frameWeight(value: unknown): number {
  if (value === undefined) return 0;
  const json = JSON.stringify(value);
  return Math.max(new TextEncoder().encode(json).length + 1, jsonValues(json) * WEIGHT_OF_VALUE);
}
