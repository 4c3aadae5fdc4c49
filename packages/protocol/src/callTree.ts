import { MAX_CALL_DEPTH } from './limits.js';
import type { ToolCallState } from './types/toolCalls.js';

export interface PlacedCall {
  /** The call under which it is shown; absent at the top level. */
  readonly parent?: string;
  /** 0 at the top level, at most `MAX_CALL_DEPTH`. */
  readonly depth: number;
}

/**
 * Where the calls of a turn are shown when those of sub-agents are nested. Calls are placed in the order of the turn: only a call
 * that was placed before can be a parent, so that there are no cycles.
 */
export class CallTree {
  readonly #placed = new Map<string, PlacedCall>();

  place({ toolCallId, parentToolCallId }: Pick<ToolCallState, 'toolCallId' | 'parentToolCallId'>): PlacedCall {
    const known = this.#placed.get(toolCallId);
    if (known) return known;
    const above = parentToolCallId === undefined ? undefined : this.#placed.get(parentToolCallId);
    const placed = above ? under(parentToolCallId, above) : { depth: 0 };
    this.#placed.set(toolCallId, placed);
    return placed;
  }
}

function under(parent: string | undefined, above: PlacedCall): PlacedCall {
  if (above.depth >= MAX_CALL_DEPTH) return above;
  return { ...(parent !== undefined && { parent }), depth: above.depth + 1 };
}
