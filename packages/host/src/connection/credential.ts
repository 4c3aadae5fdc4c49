import { CLOSE_CODE, type Role } from '@agenthost/protocol';
import type { Transport } from '@agenthost/rpc';

/** What a connection was let in with. */
export interface Credential {
  readonly id: string;
  readonly role: Role;
  /** Of a device's token: what others see instead of what its client says. */
  readonly name?: string;
  /** Aborted, with a sentence that says why, when the token is rotated or removed. Absent where there is no token to take back. */
  readonly revoked?: AbortSignal;
}

/** The host's own token: whoever can read the state root has it. */
export const OWNER: Credential = { id: 'owner', role: 'owner' };

/**
 * Ends the connection when its credential is revoked; at once where that has happened already, because a route may keep a
 * credential for a while before it uses it. False: the connection is closed.
 */
export function closeWhenRevoked(transport: Pick<Transport, 'close' | 'onClose'>, { revoked }: Credential): boolean {
  if (!revoked) return true;
  const close = () => transport.close({ code: CLOSE_CODE.unauthorized, message: String(revoked.reason) });
  if (revoked.aborted) {
    close();
    return false;
  }
  revoked.addEventListener('abort', close, { once: true });
  transport.onClose(() => revoked.removeEventListener('abort', close));
  return true;
}
