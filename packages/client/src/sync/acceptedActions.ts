import type { OutboxEntry } from './outbox.js';

/** What the host says that it has accepted of this client in a session. */
export interface Accepted {
  /** Undefined when it did not say. */
  readonly highest?: number | undefined;
  /** The newest, one by one. */
  readonly recent: readonly number[];
  /** What was missed was sent, so that everything that was accepted is known. */
  readonly isReplay?: boolean;
}

/**
 * `notTold`: the host did not say what it has accepted. `unanswered`: it has not seen the action yet. `unknown`: it has, and
 * nobody can say any more whether it was accepted or refused.
 */
export type Fate = 'accepted' | 'refused' | 'unknown' | 'unanswered' | 'notTold';

/** What became of an action that was sent on an earlier connection. */
export function fateOf({ clientSeq, uncertain }: OutboxEntry, { recent, isReplay, ...told }: Accepted): Fate {
  const highest = told.highest ?? recent.at(-1);
  if (highest === undefined) return 'notTold';
  if (clientSeq === highest || recent.includes(clientSeq)) return 'accepted';
  if (clientSeq > highest) return 'unanswered';
  // Before the last that was accepted, so it was accepted too, or refused. The list tells as far as it goes, and so does a
  // replay, which has everything that was accepted.
  const isListed = clientSeq > (recent[0] ?? highest);
  return isListed || (isReplay && !uncertain) ? 'refused' : 'unknown';
}
