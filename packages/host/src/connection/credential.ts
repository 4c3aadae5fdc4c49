import type { Role, SharedSession } from '@agenthost/protocol';
import type { CloseReason, Transport } from '@agenthost/rpc';

/** The credential of a connection. */
export interface Credential {
  readonly id: string;
  readonly role: Role;
  /** The sessions that it sees; `default` where it is missing. */
  readonly space?: string;
  /** The name of a device token. Other clients see it instead of the name that the client gives itself. */
  readonly name?: string;
  /** Who uses that device, if the host was told when it was connected. */
  readonly user?: string;
  /** Of a read-only link: the one session that it shows, and its end. Its role is viewer. */
  readonly shared?: SharedSession;
  /** Of a program that watches the host: it reads `/metrics`, and opens nothing else. */
  readonly only?: 'metrics';
  /** Aborted with a `CloseReason` when the token is rotated or removed, or its role changes. Absent when there is no token. */
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
  const close = () => transport.close(revoked.reason as CloseReason);
  if (revoked.aborted) {
    close();
    return false;
  }
  revoked.addEventListener('abort', close, { once: true });
  transport.onClose(() => revoked.removeEventListener('abort', close));
  return true;
}
