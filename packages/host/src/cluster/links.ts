import type { Notification, URI } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import type { Transport } from '@agenthost/rpc';
import type { HostLog } from '../hostLog.js';
import type { Cluster } from './cluster.js';
import { Link, type LinkEvents } from './link.js';
import { LinkServer, type LinkServerOptions } from './linkServer.js';

export interface LinksOptions extends LinkServerOptions {
  readonly cluster: Cluster;
  /** What comes over the link to that host. */
  readonly eventsOf: (hostId: string) => LinkEvents;
  readonly log: HostLog;
}

/** The links of this host: one to each other host, and one from each. */
export class Links {
  readonly #options: LinksOptions;
  readonly #out = new Map<string, Promise<Link>>();
  readonly #in = new Set<LinkServer>();
  #isClosed = false;

  constructor(options: LinksOptions) {
    this.#options = options;
  }

  /** Rejects when that host can't be reached now. */
  to(hostId: string): Promise<Link> {
    const known = this.#out.get(hostId);
    if (known) return known;
    const link = this.#connect(hostId);
    this.#out.set(hostId, link);
    link.catch(() => this.#forget(hostId, link));
    return link;
  }

  /** Makes missing links, so that this host's clients hear of all sessions. */
  connectAll(): void {
    const { cluster, log } = this.#options;
    for (const hostId of cluster.alive) {
      if (hostId === cluster.hostId || this.#isClosed || !cluster.linkTarget(hostId)) continue;
      this.to(hostId).catch((error: unknown) => log.debug(`no link to ${hostId}: ${errorMessage(error)}`));
    }
  }

  /** How long ago the other hosts have reached the database; `undefined` for those that don't answer. */
  beatAges(): Promise<(number | undefined)[]> {
    const { cluster } = this.#options;
    const others = cluster.alive.filter((hostId) => hostId !== cluster.hostId);
    return Promise.all(
      others.map((hostId) =>
        this.to(hostId)
          .then((link) => link.ping())
          .catch(() => undefined),
      ),
    );
  }

  /** A link from another host. */
  accept(transport: Transport): void {
    const link = new LinkServer(transport, this.#options);
    this.#in.add(link);
    transport.onClose(() => void this.#in.delete(link));
  }

  /** Tells the clients of all other hosts. */
  broadcast(notification: Notification, subscribersOf?: URI): void {
    for (const link of this.#in) link.notify({ notification, subscribersOf });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const link of this.#in) link.close();
    for (const link of this.#out.values()) void link.then((open) => open.close()).catch(() => {});
  }

  async #connect(hostId: string): Promise<Link> {
    const { cluster, eventsOf, log } = this.#options;
    const events = eventsOf(hostId);
    const target = cluster.linkTarget(hostId);
    if (!target || this.#isClosed) throw new Error(`the host ${hostId} has no address yet`);
    const link: Link = await Link.connect(
      cluster.hostId,
      target,
      {
        ...events,
        closed: () => {
          this.#out.delete(hostId);
          events.closed();
        },
      },
      log,
    );
    return link;
  }

  #forget(hostId: string, link: Promise<Link>): void {
    if (this.#out.get(hostId) === link) this.#out.delete(hostId);
  }
}
