import type { ApprovalRevokedAction, CustomizationToggledAction } from '../types/clientActions.js';
import type { CustomizationsChangedAction } from '../types/hostActions.js';
import type { SessionState } from '../types/sessionState.js';

/** Replaces a list; an empty one removes the field. */
export function changeList<
  K extends 'approvals' | 'clientTools' | 'clients' | 'customizations' | 'commands' | 'settings',
>(state: SessionState, key: K, list: NonNullable<SessionState[K]>): SessionState {
  if (list.length > 0) return { ...state, [key]: list };
  if (!state[key]) return state;
  const { [key]: _, ...rest } = state;
  return rest as SessionState;
}

export function changeCustomizations(state: SessionState, action: CustomizationsChangedAction): SessionState {
  const { customizations, commands } = action;
  const changed = changeList(state, 'customizations', customizations);
  return commands ? changeList(changed, 'commands', commands) : changed;
}

export function toggleCustomization(state: SessionState, { uri, enabled }: CustomizationToggledAction): SessionState {
  const list = state.customizations ?? [];
  const index = list.findIndex((entry) => entry.customization.uri === uri);
  const entry = list[index];
  if (!entry || entry.enabled === enabled) return state;
  return { ...state, customizations: list.with(index, { ...entry, enabled }) };
}

export function revokeApproval(state: SessionState, { approvalId }: ApprovalRevokedAction): SessionState {
  const list = state.approvals ?? [];
  const rest = list.filter(({ id, isRevocable }) => id !== approvalId || isRevocable !== true);
  return rest.length === list.length ? state : changeList(state, 'approvals', rest);
}
