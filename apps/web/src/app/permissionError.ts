import type { ClientAction, Commands, Role } from '@agenthost/protocol';
import { roleForAction, roleForMethod, roleRefusal } from '@agenthost/protocol/internal';

/** A command, or an action: its type alone, or with the fields that its role depends on. */
export type GuardedOperation =
  | keyof Commands
  | ActionType
  | { readonly type: ActionType; readonly [key: string]: unknown };
type ActionType = ClientAction['type'];

/** Why a role may not run an operation, as a text for the page; `undefined` if it may. The host checks this as well. */
export function permissionError(role: Role, operation: GuardedOperation): string | undefined {
  if (typeof operation === 'object') return roleRefusal(role, roleForAction(operation));
  return roleRefusal(role, operation.includes('/') ? roleForAction({ type: operation }) : roleForMethod(operation));
}
