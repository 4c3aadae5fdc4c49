import { type Role, roleIncludes } from '@agenthost/protocol';
import { roleRefusal } from '@agenthost/protocol/internal';
import type { AhpAction } from '../types.js';

/** The actor on the gateway's own state. A client chooses its id, but not its token. */
export interface Actor {
  readonly clientId: string;
  readonly credentialId: string;
  readonly role: Role;
}

/** Somebody has looked at a changed file, or has not. */
export const REVIEWED = 'changeset/filesReviewChanged';

/** The least role to change the gateway's own state: the host, which checks everything else, never sees these. */
const NEEDS: ReadonlyMap<string, Role> = new Map(
  Object.entries({
    'root/configChanged': 'driver',
    'session/configChanged': 'driver',
    'session/activeClientSet': 'driver',
    // Only the client's own entry.
    'session/activeClientRemoved': 'viewer',
    // A draft.
    'chat/draftChanged': 'driver',
    // An answer in progress.
    'chat/inputAnswerChanged': 'approver',
    [REVIEWED]: 'approver',
  } satisfies Record<string, Role>),
);

/** Why this client may not; `undefined` if it may. An action without a row needs the owner. */
export function localRefusal({ type }: AhpAction, { role }: Actor): string | undefined {
  return roleRefusal(role, NEEDS.get(type) ?? 'owner');
}

/** Whether a client sees another one's change: a draft belongs to its token, and an answer in progress to those who may answer. */
export function isToldTo(client: Actor, { type }: AhpAction, from: Actor): boolean {
  if (type === 'chat/draftChanged') return client.credentialId === from.credentialId;
  return type !== 'chat/inputAnswerChanged' || roleIncludes(client.role, 'approver');
}
