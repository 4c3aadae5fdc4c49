import { CLOSE_CODE, type Role } from '@agenthost/protocol';
import type { Transport } from '@agenthost/rpc';

/** The credential of a connection. */
export interface Credential {
  readonly id: string;
  readonly role: Role;
  /** The name of a device token. Other clients see it instead of the name that the client gives itself. */
  readonly name?: string;
  /** Aborted with the reason when the token is rotated or removed. Absent when there is no token. */
  readonly revoked?: AbortSignal;
}

/** The host's own token. Every process that can read the state root has it. */
export const OWNER: Credential = { id: 'owner', role: 'owner' };

/**
 * Closes the connection when its credential is revoked, or at once when it is revoked already: a route may keep a credential for a
 * while before it uses it. Returns false when the connection is closed.
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
