import type { RootAction } from '../actions/rootActions.js';
import type { RootState } from '../state/rootState.js';

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
  switch (action.type) {
    case 'root/agentsChanged':
      return { ...state, agents: action.agents };
    default:
      action.type satisfies never;
      return state;
  }
}
