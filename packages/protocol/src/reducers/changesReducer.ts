import { ownValue } from '../safeKey.js';
import { CHANGES_ACTION_TABLE } from '../tables/actionTable.js';
import type { ChangesAction } from '../types/actions.js';
import type { ChangesState } from '../types/work.js';
import { changesUri, type URI } from '../uri.js';

/**
 * The changes of a session before the host has looked.
 *
 * @example
 * ```ts
 * const { isLoading } = createChangesState('shell:/s1'); // true
 * ```
 */
export function createChangesState(session: URI): ChangesState {
  return { session, comparisons: [], isLoading: true };
}

/**
 * The changes of a session after an action. Pure, and the same on the host and on every client.
 *
 * @example
 * ```ts
 * const session = sessionUri('shell', 's1');
 * const state: ChangesState = { session, comparisons: [] };
 * changesReducer(createChangesState(session), { type: 'changes/changed', resource: changesUri(session), state });
 * ```
 */
export function changesReducer(state: ChangesState, action: ChangesAction): ChangesState {
  if (action.resource !== changesUri(state.session)) return state;
  return ownValue(CHANGES_ACTION_TABLE, action.type)?.reduce(state, action) ?? state;
}
