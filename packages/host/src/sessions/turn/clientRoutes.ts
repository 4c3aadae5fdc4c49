import { dropOldest } from '@agenthost/protocol/internal';
import { originOf, type Subscriber } from '../../state/publisher.js';
import { MAX_ACCEPTED_CLIENTS } from '../sessionLimits.js';
import { acceptedKey } from './acceptedSequences.js';

/**
 * Of a connection that ended before it had one: its client may have another by now, or none. Binding it then would make it the
 * newest, and what the client has sent again, and was told of, could be accepted from here.
 */
export const OLDEST_ROUTE = 0;

/**
 * How each client reaches a session that several hosts serve: over one connection, to this host or to another. What comes over an
 * older one is dropped: the client has given that connection up, and sends what it wants to keep over the new one (FOL4).
 */
export class ClientRoutes {
  /** By client. Those that were bound first are forgotten; then any of their routes is as good as the newest. */
  readonly #newest = new Map<string, number>();
  readonly #here = new WeakMap<Subscriber, number>();
  #last = 0;

  /** A client has connected. All its earlier routes end. */
  bind(key: string): number {
    this.#newest.delete(key);
    this.#newest.set(key, ++this.#last);
    dropOldest(this.#newest, MAX_ACCEPTED_CLIENTS);
    return this.#last;
  }

  /** The same for a client of this host; once for each connection. */
  bindHere(client: Subscriber): number {
    const route = this.#here.get(client) ?? this.bind(acceptedKey(originOf(client, 0)));
    this.#here.set(client, route);
    return route;
  }

  isNewest(key: string, route: number): boolean {
    return route >= (this.#newest.get(key) ?? 0);
  }

  isNewestHere(client: Subscriber): boolean {
    const hasNone = client.isOpen === false && !this.#here.has(client);
    return this.isNewest(acceptedKey(originOf(client, 0)), hasNone ? OLDEST_ROUTE : this.bindHere(client));
  }
}
