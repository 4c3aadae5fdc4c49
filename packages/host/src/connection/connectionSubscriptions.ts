import { ERROR_CODE, ROOT_URI, type Snapshot, type URI } from '@agenthost/protocol';
import { ACTION_INTRODUCED_IN, MAX_SUBSCRIPTIONS, sessionOfChanges } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import { notFound } from '../sessions/sessionLoader.js';
import type { SubscribableResource, VisibleSessions } from '../sessions/sessions.js';
import type { TurnsRoom } from '../sessions/stateBytes.js';
import type { Subscriber } from '../state/publisher.js';

const CHANGES_SINCE = ACTION_INTRODUCED_IN['changes/changed'];

export interface SubscribableResources {
  readonly root: SubscribableResource;
  readonly sessions: Pick<VisibleSessions, 'open' | 'hold'>;
  /** Of a session that the client sees; absent for one that sees no changes. */
  readonly changes?: ((session: URI) => SubscribableResource) | undefined;
}

/** The subscriptions of one connection. */
export class ConnectionSubscriptions {
  readonly #subscriber: Subscriber;
  readonly #resources: SubscribableResources;
  readonly #subscribed = new Map<URI, SubscribableResource>();
  /** Requested and still loading: an unsubscribe that overtakes its subscribe must win. */
  readonly #opening = new Map<URI, number>();
  /** Releases sessions that were opened and are not subscribed to yet. */
  readonly #held = new Map<URI, () => void>();
  #closed = false;

  constructor(subscriber: Subscriber, resources: SubscribableResources) {
    this.#subscriber = subscriber;
    this.#resources = resources;
  }

  get uris(): Iterable<URI> {
    return this.#subscribed.keys();
  }

  has(uri: URI): boolean {
    return this.#subscribed.has(uri);
  }

  /** Opens the resource. The function that it returns subscribes, or does nothing when the subscription was cancelled. */
  async open(resource: URI): Promise<(room: TurnsRoom) => Snapshot> {
    if (!this.#subscribed.has(resource) && this.#subscribed.size + this.#opening.size >= MAX_SUBSCRIPTIONS) {
      throw new RpcError(ERROR_CODE.tooManyRequests, `more than ${MAX_SUBSCRIPTIONS} subscriptions on one connection`);
    }
    this.#opening.set(resource, (this.#opening.get(resource) ?? 0) + 1);
    const found = await this.find(resource).catch((error: unknown) => {
      this.#finishOpening(resource);
      throw error;
    });
    return (room) => {
      const wanted = this.#finishOpening(resource);
      if (wanted && !this.#closed) this.#subscribed.set(resource, found);
      const snapshot = found.subscribe(this.#subscriber, room);
      if (!wanted || this.#closed) found.unsubscribe(this.#subscriber);
      this.#letGo(resource);
      return snapshot;
    };
  }

  /** Like `open`, for a client that has the state already and gets what it missed. */
  resume(resource: URI, found: SubscribableResource): void {
    if (this.#closed) return;
    this.#subscribed.set(resource, found);
    found.resume(this.#subscriber);
    this.#letGo(resource);
  }

  /** The resource stays in memory until it is subscribed to or the connection ends. */
  async find(resource: URI): Promise<SubscribableResource> {
    if (resource === ROOT_URI) return this.#resources.root;
    const session = this.#subscriber.protocolVersion >= CHANGES_SINCE ? sessionOfChanges(resource) : undefined;
    if (session !== undefined) return this.#changesOf(session, resource);
    if (!this.#held.has(resource)) this.#held.set(resource, this.#resources.sessions.hold(resource));
    try {
      return await this.#resources.sessions.open(resource);
    } catch (error) {
      this.#letGo(resource);
      throw error;
    } finally {
      if (this.#closed) this.#letGo(resource);
    }
  }

  async #changesOf(session: URI, resource: URI): Promise<SubscribableResource> {
    const { changes, sessions } = this.#resources;
    if (!changes) throw notFound(resource);
    await sessions.open(session);
    return changes(session);
  }

  /** What it has subscribed to is another object now. */
  goesOn(resource: URI, as: SubscribableResource): void {
    if (this.#subscribed.has(resource)) this.#subscribed.set(resource, as);
  }

  remove(resource: URI): void {
    this.#opening.delete(resource);
    this.#subscribed.get(resource)?.unsubscribe(this.#subscriber);
    this.#subscribed.delete(resource);
  }

  /** Also cancels subscriptions that are still loading. */
  clear(): void {
    for (const resource of [...this.#opening.keys(), ...this.#subscribed.keys()]) this.remove(resource);
  }

  dispose(): void {
    this.#closed = true;
    this.clear();
    for (const resource of [...this.#held.keys()]) this.#letGo(resource);
  }

  #letGo(resource: URI): void {
    this.#held.get(resource)?.();
    this.#held.delete(resource);
  }

  #finishOpening(resource: URI): boolean {
    const count = this.#opening.get(resource);
    if (count === undefined) return false;
    if (count > 1) this.#opening.set(resource, count - 1);
    else this.#opening.delete(resource);
    return true;
  }
}
