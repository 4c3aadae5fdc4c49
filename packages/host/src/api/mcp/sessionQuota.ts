import { dropOldest } from '@agenthost/protocol/internal';
import { Problem } from '../problem.js';

/** Sessions that one token starts over MCP. */
const MAX_STARTS = 60;
const WINDOW_MS = 60 * 60 * 1_000;
const MAX_TOKENS = 10_000;

/** Bounds how fast programs start sessions: a mistake of a model must not fill the list, or the bill. */
export class SessionQuota {
  readonly #starts = new Map<string, number[]>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts one more. Throws a `Problem` when there were too many. */
  begin(tokenId: string): void {
    const recent = this.#recent(tokenId);
    if (recent.length >= MAX_STARTS) throw tooMany(Math.ceil(((recent[0] ?? 0) + WINDOW_MS - this.#now()) / 60_000));
    this.#starts.delete(tokenId);
    this.#starts.set(tokenId, [...recent, this.#now()]);
    dropOldest(this.#starts, MAX_TOKENS);
  }

  #recent(tokenId: string): number[] {
    const since = this.#now() - WINDOW_MS;
    return (this.#starts.get(tokenId) ?? []).filter((at) => at > since);
  }
}

function tooMany(minutes: number): Problem {
  return new Problem(429, 'tooManySessions', `This token has started ${MAX_STARTS} sessions within an hour.`, {
    whatToDo: `Send messages to sessions that are there, or wait for ${minutes} minutes.`,
  });
}
