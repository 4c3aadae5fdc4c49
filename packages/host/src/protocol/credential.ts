import type { Role } from '@agenthost/protocol';

/** What a connection was let in with. */
export interface Credential {
  readonly id: string;
  readonly role: Role;
  /** Of a device's token: what others see instead of what its client says. */
  readonly name?: string;
}

/** The host's own token: whoever can read the state root has it. */
export const OWNER: Credential = { id: 'owner', role: 'owner' };
