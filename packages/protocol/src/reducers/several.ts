import { MAX_SEVERAL } from '../limits.js';
import { sameValue } from '../sameValue.js';
import type { PickChangedAction } from '../types/clientActions.js';
import type { TestsChangedAction } from '../types/hostActions.js';
import type { Several, SeveralMember } from '../types/reviews.js';
import type { SessionState, SessionSummary } from '../types/sessionState.js';

/** The first pick stays until it is taken back. */
export function changePick(state: SessionState, { picked, by, at }: PickChangedAction): SessionState {
  if (picked === undefined) {
    if (!state.picked) return state;
    const { picked: _, ...rest } = state;
    return rest;
  }
  return state.picked ? state : { ...state, picked: { session: picked, ...(by && { by }), at } };
}

export function changeTests(state: SessionState, { tests }: TestsChangedAction): SessionState {
  return sameValue(state.tests, tests) ? state : { ...state, tests };
}

/**
 * The sessions that got the same prompt as this one; `undefined` for a session that is none of several. What says so was written by
 * a client, so anything else in its place counts as nothing.
 *
 * @example
 * ```ts
 * const { items } = await host.listSessions();
 * for (const summary of items) console.log(severalOf(summary)?.members.length ?? 1);
 * ```
 */
export function severalOf({ resource, metadata }: Pick<SessionSummary, 'resource' | 'metadata'>): Several | undefined {
  const given = metadata?.['several'] as Partial<Several> | null | undefined;
  if (typeof given !== 'object' || given === null) return undefined;
  const { title, members } = given;
  if (typeof title !== 'string' || !Array.isArray(members)) return undefined;
  const known = members.filter(isMember);
  const isWhole = known.length === members.length && known.length >= 2 && known.length <= MAX_SEVERAL;
  if (!isWhole || new Set(known.map(({ session }) => session)).size !== known.length) return undefined;
  return known.some(({ session }) => session === resource) ? { title, members: known } : undefined;
}

function isMember(value: unknown): value is SeveralMember {
  if (typeof value !== 'object' || value === null) return false;
  const { session, model } = value as Partial<SeveralMember>;
  return typeof session === 'string' && (model === undefined || typeof model === 'string');
}
