import { ownValue } from '../safeKey.js';
import { ROOT_ACTION_TABLE } from '../tables/actionTable.js';
import type { RootAction } from '../types/actions.js';
import type { RootState } from '../types/rootState.js';

export function createRootState(): RootState {
  return { agents: [] };
}

export function rootReducer(state: RootState, action: RootAction): RootState {
  return ownValue(ROOT_ACTION_TABLE, action.type)?.reduce(state, action) ?? state;
}
