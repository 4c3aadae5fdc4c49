import { CLOSE_CODE, type ClientInfo, ERROR_CODE, type Notification } from '@agenthost/protocol';
import { dropOldest, isNotificationKnownToVersion } from '@agenthost/protocol/internal';
import { encodeNotification, RpcError } from '@agenthost/rpc';
import type { HostLog } from '../hostLog.js';
import type { BroadcastOptions } from '../state/broadcast.js';
import { type Delivery, EncodedFrame } from '../state/delivery.js';
import type { ClientConnection } from './clientConnection.js';
import { type Clients, SpaceAudience, type SpaceAudienceOptions } from './spaceAudience.js';

/** Remembered clients, more than can be connected. The oldest are forgotten. */
const MAX_REMEMBERED = 10_000;
/** From so many clients on, changes in their lists are gathered for so long. */
const MANY = 100;
const GATHER_MS = 100;
const MAX_GATHERED = 500;

export interface ClientRegistryOptions {
  readonly delivery: Delivery;
  /** Of the sessions of a space. */
  readonly list: SpaceAudienceOptions['list'];
  /** Called for each notification, whoever is told of it, also on behalf of other hosts. */
  readonly onTold?: (notification: Notification) => unknown;
  /** Called when another number of clients is there. */
  readonly onCount?: (clients: number) => void;
  readonly log: HostLog;
}

/** The clients that completed the handshake: one connection per client id. */
export class ClientRegistry {
  readonly #clients = new Map<string, ClientConnection>();
  /** The token and the version of each client's last connection, also of disconnected clients. */
  readonly #known = new Map<string, { readonly credentialId: string; readonly protocolVersion: number }>();
  readonly #options: ClientRegistryOptions;
  /** The clients of each space that has some. */
  readonly #audiences = new Map<string, SpaceAudience>();
  readonly #gathered: (() => void)[] = [];
  #gathering: NodeJS.Timeout | undefined;
  #lastNumber = 0;

  constructor(options: ClientRegistryOptions) {
    this.#options = options;
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
    if (older) this.#leave(older);
    this.#clients.set(clientId, connection);
    this.#audienceOf(connection.space).add(connection);
    this.#countChanged();
    this.#known.delete(clientId);
    this.#known.set(clientId, { credentialId: connection.credentialId, protocolVersion });
    dropOldest(this.#known, MAX_REMEMBERED);
  }

  /** The version that a client agreed on last. A reconnect need not repeat it. */
  versionOf(clientId: string): number | undefined {
    return this.#known.get(clientId)?.protocolVersion;
  }

  remove(clientId: string, connection: ClientConnection): void {
    this.#leave(connection);
    if (this.#clients.get(clientId) !== connection) return;
    this.#clients.delete(clientId);
    this.#countChanged();
  }

  /**
   * Sends to all clients of the space that want to hear of it, or to the subscribers of one session. Changes in the lists of many
   * clients are gathered for a moment: a write to each of their sockets costs more than all that is written.
   */
  broadcast(notification: Notification, options: BroadcastOptions): void {
    this.#options.onTold?.(notification);
    const { type } = notification;
    const isOfList = type === 'notify/sessionAdded' || type === 'notify/sessionSummaryChanged';
    if (isOfList && this.size >= MANY) {
      this.#gathered.push(() => this.#tell(notification, options));
      if (this.#gathered.length >= MAX_GATHERED) this.#tellGathered();
      else this.#gathering ??= setTimeout(() => this.#tellGathered(), GATHER_MS).unref();
    } else {
      this.#tellGathered();
      this.#tell(notification, options);
    }
  }

  /** To all clients, past what waits to be stored. */
  tellAtOnce(notification: Notification): void {
    const frame = new EncodedFrame(encodeNotification('notification', { notification }));
    for (const client of this.#clients.values()) if (!client.shared) client.deliver([frame]);
  }

  #tellGathered(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    for (const tell of this.#gathered.splice(0)) tell();
  }

  #tell(notification: Notification, options: BroadcastOptions): void {
    const { space } = options;
    const audiences = space === undefined ? [...this.#audiences.values()] : [this.#audiences.get(space)];
    for (const audience of audiences) audience?.tell(notification, options);
  }

  #audienceOf(space: string): SpaceAudience {
    const known = this.#audiences.get(space);
    if (known) return known;
    const { list, log } = this.#options;
    const audience = new SpaceAudience({ space, list, send: (notification, to) => this.send(notification, to), log });
    this.#audiences.set(space, audience);
    return audience;
  }

  #leave(connection: ClientConnection): void {
    const { space } = connection;
    const audience = this.#audiences.get(space);
    audience?.remove(connection);
    if (audience?.isEmpty) this.#audiences.delete(space);
  }

  /** Encoded once for all receivers. */
  send(notification: Notification, clients: Clients): void {
    const knows = ({ protocolVersion }: ClientConnection) =>
      isNotificationKnownToVersion(notification, protocolVersion);
    // The same list again where it can be: the delivery is faster then.
    const receivers = clients.every(knows) ? clients : clients.filter(knows);
    if (receivers.length === 0) return;
    const frame = new EncodedFrame(encodeNotification('notification', { notification }));
    this.#options.delivery.enqueue({ frame, receivers });
  }

  /** The same past all that waits, for what has an order of its own. */
  sendAtOnce(notification: Notification, clients: Clients): void {
    const frame = new EncodedFrame(encodeNotification('notification', { notification }));
    for (const client of clients) {
      if (isNotificationKnownToVersion(notification, client.protocolVersion)) client.deliver([frame]);
    }
  }

  #countChanged(): void {
    this.#options.onCount?.(this.#clients.size);
  }
}

/** The name and device that a client gives itself, as other clients see them. */
export function displayName(clientInfo: ClientInfo | undefined): { name?: string; device?: string } {
  return {
    ...(clientInfo && { name: clientInfo.name }),
    ...(clientInfo?.device !== undefined && { device: clientInfo.device }),
  };
}
