import { ownValue } from '../safeKey.js';
import { ROOT_ACTION_TABLE } from '../tables/actionTable.js';
import type { RootAction } from '../types/actions.js';
import type { RootState } from '../types/rootState.js';

/**
 * The state of a host before its first snapshot.
 *
 * @example
 * ```ts
 * const { agents } = createRootState(); // []
 * ```
 */
export function createRootState(): RootState {
  return { agents: [] };
}

/**
 * The state of the host after an action. Pure, and the same on the host and on every client.
 *
 * @example
 * ```ts
 * const state = rootReducer(createRootState(), { type: 'root/agentsChanged', agents: [] });
 * ```
 */
export function rootReducer(state: RootState, action: RootAction): RootState {
  return ownValue(ROOT_ACTION_TABLE, action.type)?.reduce(state, action) ?? state;
}
