import { type Role, roleIncludes } from '@agenthost/protocol';
import { roleRefusal } from '@agenthost/protocol/internal';
import type { AhpAction } from '../types.js';

/** Who acts on the state that the gateway keeps. A client's id is its own word; the token that it came with is not. */
export interface Actor {
  readonly clientId: string;
  readonly credentialId: string;
  readonly role: Role;
}

/** The least role to change what the gateway keeps: the host, which checks everything else, never sees these. */
const NEEDS: ReadonlyMap<string, Role> = new Map(
  Object.entries({
    'root/configChanged': 'driver',
    'session/configChanged': 'driver',
    'session/activeClientSet': 'driver',
    // One's own alone.
    'session/activeClientRemoved': 'viewer',
    // A message that is being written.
    'chat/draftChanged': 'driver',
    // An answer that is being written.
    'chat/inputAnswerChanged': 'approver',
  } satisfies Record<string, Role>),
);

/** Why this client may not; `undefined` where it may. What has no row is the owner's. */
export function localRefusal({ type }: AhpAction, { role }: Actor): string | undefined {
  return roleRefusal(role, NEEDS.get(type) ?? 'owner');
}

/** Whether a client is told what another one did: a draft is its token's, and an answer in progress is for those who may answer. */
export function isToldTo(client: Actor, { type }: AhpAction, from: Actor): boolean {
  if (type === 'chat/draftChanged') return client.credentialId === from.credentialId;
  return type !== 'chat/inputAnswerChanged' || roleIncludes(client.role, 'approver');
}
