import type { Disposable, HostClient, HostEvent, Observable } from '@agenthost/client';
import { listInStep } from '@agenthost/client/internal';
import { MAX_LIST_LIMIT, type URI } from '@agenthost/protocol';
import { observable } from '../observable.js';
import type { SessionCatalogue } from './sessionCatalogue.js';

export interface HostSessionListOptions {
  readonly host: HostClient;
  readonly catalogue: SessionCatalogue;
  readonly pageSize: number;
}

type Kind = 'refresh' | 'more' | 'topUp';

/**
 * Keeps the catalogue in step with the host's list: begins with the newest ones, follows what the host announces, and lists
 * again what it has after a lost connection, when announcements were missed.
 */
export class HostSessionList {
  readonly hasMore: Observable<boolean>;
  readonly isLoading: Observable<boolean>;
  /** Why the last listing failed; it is tried again when the connection is back, or with `refresh`. */
  readonly error: Observable<unknown>;
  readonly #options: HostSessionListOptions;
  readonly #hasMore = observable(true);
  /** Also before the first listing, which the connection may have to wait for. */
  readonly #isLoading = observable(true);
  readonly #error = observable<unknown>(undefined);
  readonly #following: Disposable[];
  readonly #closing = new AbortController();
  /** One listing after the other: two at once would each think that the other's sessions are gone. */
  #queue: Promise<void> = Promise.resolve();
  readonly #waiting = new Map<Kind, Promise<void>>();
  #queued = 0;
  #cursor: string | undefined;
  /** When the oldest session was changed that the listing has reached. */
  #reachedTo = Number.POSITIVE_INFINITY;
  /** Announced while a listing is under way, which may not have them. */
  #announced: Set<URI> | undefined;
  #changedSince = Number.POSITIVE_INFINITY;
  #wasListed = false;

  constructor(options: HostSessionListOptions) {
    this.#options = options;
    this.hasMore = this.#hasMore;
    this.isLoading = this.#isLoading;
    this.error = this.#error;
    const { host } = options;
    const whenConnected = () => {
      if (host.connection.value.state === 'connected' && !this.#wasListed) this.refresh().catch(() => {});
    };
    this.#following = [host.onNotification((event) => this.#handle(event)), host.connection.subscribe(whenConnected)];
    whenConnected();
  }

  /** Lists again as far as it was listed before; the first page at first. */
  refresh(): Promise<void> {
    return this.#enqueue('refresh', () => this.#refresh());
  }

  loadMore(): Promise<void> {
    return this.#enqueue('more', async () => {
      if (!this.#wasListed) await this.#refresh();
      else if (this.#cursor !== undefined) await this.#page(this.#options.pageSize, this.#cursor);
    });
  }

  dispose(): void {
    this.#closing.abort();
    for (const one of this.#following) one.dispose();
  }

  /** One of a kind waits at the most: what has not begun yet will see what the next one would. */
  #enqueue(kind: Kind, run: () => Promise<void>): Promise<void> {
    const waiting = this.#waiting.get(kind);
    if (waiting !== undefined) return waiting;
    this.#queued++;
    this.#isLoading.set(true);
    const listing = this.#queue.then(async () => {
      this.#waiting.delete(kind);
      try {
        this.#closing.signal.throwIfAborted();
        await run();
        this.#error.set(undefined);
      } catch (error) {
        if (!this.#closing.signal.aborted) this.#error.set(error);
        throw error;
      } finally {
        if (--this.#queued === 0) this.#isLoading.set(false);
      }
    });
    this.#waiting.set(kind, listing);
    this.#queue = listing.catch(() => {});
    return listing;
  }

  async #refresh(): Promise<void> {
    const { catalogue, pageSize } = this.#options;
    const [target, known, seen] = [this.#reachedTo, new Set(catalogue.uris()), new Set<URI>()];
    this.#announced = new Set();
    try {
      let cursor: string | undefined;
      let reached: number;
      do {
        const page = await this.#page(known.size > 0 ? MAX_LIST_LIMIT : pageSize, cursor);
        for (const uri of page.uris) seen.add(uri);
        ({ cursor, reached } = page);
      } while (cursor !== undefined && reached >= target);
      const isGone = (uri: URI) => {
        if (seen.has(uri) || this.#announced?.has(uri)) return false;
        // Beyond the end of the listing so far this is unknown.
        return cursor === undefined || (catalogue.summary(uri)?.modifiedAt ?? 0) > reached;
      };
      catalogue.remove([...known].filter(isGone));
      this.#wasListed = true;
    } catch (error) {
      // The next one has to get as far as this one should have.
      this.#reachedTo = target;
      throw error;
    } finally {
      this.#announced = undefined;
    }
  }

  async #page(limit: number, cursor: string | undefined) {
    const { host, catalogue } = this.#options;
    const params = { limit, ...(cursor !== undefined && { cursor }) };
    const take = await listInStep(host, params, { signal: this.#closing.signal });
    const { items, nextCursor } = take();
    catalogue.put(items);
    this.#cursor = nextCursor;
    this.#hasMore.set(nextCursor !== undefined);
    // Of a page whose sessions are all gone by now it is not known how far it got: no further than the one before.
    if (nextCursor === undefined) this.#reachedTo = 0;
    else this.#reachedTo = items.at(-1)?.modifiedAt ?? this.#reachedTo;
    return { uris: items.map(({ resource }) => resource), cursor: nextCursor, reached: this.#reachedTo };
  }

  #handle(event: HostEvent): void {
    const { catalogue } = this.#options;
    switch (event.type) {
      case 'notify/sessionAdded':
        this.#announced?.add(event.summary.resource);
        catalogue.put([event.summary]);
        return;
      case 'notify/sessionRemoved':
        catalogue.remove([event.session]);
        return;
      case 'notify/sessionSummaryChanged':
        this.#announced?.add(event.session);
        if (!catalogue.update(event.session, event.changes) && event.changes.modifiedAt !== undefined) {
          this.#topUp(event.changes.modifiedAt);
        }
        return;
      case 'client/listsStale':
        this.refresh().catch(() => {});
        return;
      default:
        return;
    }
  }

  /** An old session that was not listed yet is among the newest now, and only a part of its summary is known. */
  #topUp(changedAt: number): void {
    this.#changedSince = Math.min(this.#changedSince, changedAt);
    this.#enqueue('topUp', async () => {
      const modifiedSince = this.#changedSince;
      this.#changedSince = Number.POSITIVE_INFINITY;
      const { host, catalogue } = this.#options;
      const params = { filter: { modifiedSince }, limit: MAX_LIST_LIMIT };
      const take = await listInStep(host, params, { signal: this.#closing.signal });
      catalogue.put(take().items);
    }).catch(() => {});
  }
}
