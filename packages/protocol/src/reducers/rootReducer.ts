import type { RootAction } from '../actions/rootActions.js';
import type { RootState } from '../state/rootState.js';

export function createRootState(): RootState {
  return { agents: [] };
}

export function rootReducer(state: RootState, action: RootAction): RootState {
  switch (action.type) {
    case 'root/agentsChanged':
      return { ...state, agents: action.agents };
    default:
      action.type satisfies never;
      return state;
  }
}
