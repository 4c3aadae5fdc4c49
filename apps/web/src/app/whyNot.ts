import type { ClientAction, Commands, Role } from '@agenthost/protocol';
import { roleForAction, roleForMethod, roleRefusal } from '@agenthost/protocol/internal';

/** A command, or an action: its type, or the type with the fields that the role depends on. */
export type Deed = keyof Commands | ActionType | { readonly type: ActionType; readonly [key: string]: unknown };
type ActionType = ClientAction['type'];

/** Why a role may not do something, as a text for the user; undefined if it may. The host refuses it anyway. */
export function whyNot(role: Role, deed: Deed): string | undefined {
  if (typeof deed === 'object') return roleRefusal(role, roleForAction(deed));
  return roleRefusal(role, deed.includes('/') ? roleForAction({ type: deed }) : roleForMethod(deed));
}
