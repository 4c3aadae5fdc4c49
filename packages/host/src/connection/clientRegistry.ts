import { CLOSE_CODE, type ClientInfo, ERROR_CODE, type Notification, type URI } from '@agenthost/protocol';
import { isNotificationKnownToVersion } from '@agenthost/protocol/internal';
import { encodeNotification, RpcError } from '@agenthost/rpc';
import { type Delivery, EncodedFrame } from '../state/delivery.js';
import type { ClientConnection } from './clientConnection.js';

/** More than can be connected; those that came longest ago are forgotten. */
const MAX_REMEMBERED = 10_000;

/** The clients that have shaken hands: one connection for each client id. */
export class ClientRegistry {
  readonly #clients = new Map<string, ClientConnection>();
  /** The token and the version that each client came with last, also of those that have gone. */
  readonly #known = new Map<string, { readonly credentialId: string; readonly protocolVersion: number }>();
  readonly #delivery: Delivery;
  #lastNumber = 0;

  constructor(delivery: Delivery) {
    this.#delivery = delivery;
  }

  get all(): Iterable<ClientConnection> {
    return this.#clients.values();
  }

  get size(): number {
    return this.#clients.size;
  }

  /** Counts connections in the order in which they were made. */
  nextNumber(): number {
    return ++this.#lastNumber;
  }

  /**
   * A client has one connection. The older one ends first, so that nothing still on its way there can arrive later; but only
   * for who holds the same credential, or anybody could throw anybody out.
   */
  admit(clientId: string, connection: ClientConnection, protocolVersion: number): void {
    const other = this.#clients.get(clientId);
    if (other === connection) return;
    // Also while it is away, but for the owner: its answers would be taken for those of whoever has its id.
    const away = connection.role === 'owner' ? undefined : this.#known.get(clientId)?.credentialId;
    const owner = other?.credentialId ?? away;
    if (owner !== undefined && owner !== connection.credentialId) {
      throw new RpcError(ERROR_CODE.permissionDenied, 'this clientId belongs to somebody else: choose another');
    }
    // A handshake may be overtaken by that of the connection for which the client has given this one up.
    const isLate = other !== undefined && other.number > connection.number;
    const older = isLate ? connection : other;
    older?.close({ code: CLOSE_CODE.replaced, message: 'another connection took over this client' });
    if (isLate) throw new RpcError(ERROR_CODE.invalidRequest, 'a newer connection has taken over this client');
    this.#clients.set(clientId, connection);
    this.#known.delete(clientId);
    this.#known.set(clientId, { credentialId: connection.credentialId, protocolVersion });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
  }

  /** The version that a client agreed on last; it need not say it again when it reconnects. */
  versionOf(clientId: string): number | undefined {
    return this.#known.get(clientId)?.protocolVersion;
  }

  remove(clientId: string, connection: ClientConnection): void {
    if (this.#clients.get(clientId) === connection) this.#clients.delete(clientId);
  }

  /** To everybody, or to the subscribers of that session; encoded once. */
  broadcast(notification: Notification, subscribersOf?: URI): void {
    const receivers = [...this.#clients.values()].filter(
      ({ protocolVersion, subscriptions }) =>
        isNotificationKnownToVersion(notification, protocolVersion) &&
        (subscribersOf === undefined || subscriptions.has(subscribersOf)),
    );
    if (receivers.length === 0) return;
    const frame = new EncodedFrame(encodeNotification('notification', { notification }));
    this.#delivery.enqueue({ frame, receivers });
  }
}

/** What is shown of a client to others; its own words, but cut to a sensible length. */
export function displayName(clientInfo: ClientInfo | undefined): { name?: string; device?: string } {
  return {
    ...(clientInfo && { name: clientInfo.name }),
    ...(clientInfo?.device !== undefined && { device: clientInfo.device }),
  };
}
