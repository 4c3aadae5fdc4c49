import type { ClientAction, Commands, Role } from '@agenthost/protocol';
import { roleForAction, roleForMethod, roleRefusal } from '@agenthost/protocol/internal';

/** A command, or an action: its type, or that with what in it the role depends on. */
export type Deed = keyof Commands | ActionType | { readonly type: ActionType; readonly [key: string]: unknown };
type ActionType = ClientAction['type'];

/** Why a role may not do something, in words for whoever would have; nothing where it may. The host refuses it anyway. */
export function whyNot(role: Role, deed: Deed): string | undefined {
  if (typeof deed === 'object') return roleRefusal(role, roleForAction(deed));
  return roleRefusal(role, deed.includes('/') ? roleForAction({ type: deed }) : roleForMethod(deed));
}
