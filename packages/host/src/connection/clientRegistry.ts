import { CLOSE_CODE, type ClientInfo, ERROR_CODE, type Notification, type URI } from '@agenthost/protocol';
import { dropOldest, isNotificationKnownToVersion } from '@agenthost/protocol/internal';
import { encodeNotification, RpcError } from '@agenthost/rpc';
import { type Delivery, EncodedFrame } from '../state/delivery.js';
import type { ClientConnection } from './clientConnection.js';

/** Remembered clients, more than can be connected. The oldest are forgotten. */
const MAX_REMEMBERED = 10_000;

/** The clients that completed the handshake: one connection per client id. */
export class ClientRegistry {
  readonly #clients = new Map<string, ClientConnection>();
  /** The token and the version of each client's last connection, also of disconnected clients. */
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

  /** Numbers connections in the order in which they were made. */
  nextNumber(): number {
    return ++this.#lastNumber;
  }

  /**
   * A client has one connection. The older one is closed first, so that nothing on its way there arrives later. The credential must be
   * the same, or any client could disconnect any other.
   */
  admit(clientId: string, connection: ClientConnection, protocolVersion: number): void {
    const other = this.#clients.get(clientId);
    if (other === connection) return;
    // Also while the client is away, except for the owner: another client under its id would get its answers.
    const away = connection.role === 'owner' ? undefined : this.#known.get(clientId)?.credentialId;
    const owner = other?.credentialId ?? away;
    if (owner !== undefined && owner !== connection.credentialId) {
      throw new RpcError(ERROR_CODE.permissionDenied, 'this clientId belongs to somebody else: choose another');
    }
    // The client may have given this connection up for a newer one, whose handshake was faster.
    const isLate = other !== undefined && other.number > connection.number;
    const older = isLate ? connection : other;
    older?.close({ code: CLOSE_CODE.replaced, message: 'another connection took over this client' });
    if (isLate) throw new RpcError(ERROR_CODE.invalidRequest, 'a newer connection has taken over this client');
    this.#clients.set(clientId, connection);
    this.#known.delete(clientId);
    this.#known.set(clientId, { credentialId: connection.credentialId, protocolVersion });
    dropOldest(this.#known, MAX_REMEMBERED);
  }

  /** The version that a client agreed on last. A reconnect need not repeat it. */
  versionOf(clientId: string): number | undefined {
    return this.#known.get(clientId)?.protocolVersion;
  }

  remove(clientId: string, connection: ClientConnection): void {
    if (this.#clients.get(clientId) === connection) this.#clients.delete(clientId);
  }

  /** Sends to all clients, or to the subscribers of that session. Encoded once. */
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

/** The name and device that a client gives itself, as other clients see them. */
export function displayName(clientInfo: ClientInfo | undefined): { name?: string; device?: string } {
  return {
    ...(clientInfo && { name: clientInfo.name }),
    ...(clientInfo?.device !== undefined && { device: clientInfo.device }),
  };
}
