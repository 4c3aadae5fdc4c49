import type { AgentInfo, Notification } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import type { Transport } from '@agenthost/rpc';
import type { HostLog } from '../../hostLog.js';
import type { BroadcastOptions } from '../../state/broadcast.js';
import type { Cluster } from '../cluster.js';
import { within } from '../within.js';
import { Link, type LinkEvents } from './link.js';
import type { ListenParams } from './linkMessages.js';
import { LinkServer, type LinkServerOptions } from './linkServer.js';
import { LinkTrouble } from './linkTrouble.js';

export interface LinksOptions extends LinkServerOptions {
  readonly cluster: Cluster;
  /** What comes over the link to that host. */
  readonly eventsOf: (hostId: string) => LinkEvents;
  readonly log: HostLog;
}

/** How often other hosts are told how many clients there are here. The first one is told of at once. */
const COUNT_MS = 1_000;
/** How long the answer to that may take, for an older host that has none and one that hangs. */
const LISTEN_MS = 3_000;

/** The links of this host: one to each other host, and one from each. */
export class Links {
  readonly #options: LinksOptions;
  readonly #trouble: LinkTrouble;
  readonly #out = new Map<string, Promise<Link>>();
  /** By the name that the other host has shown to be its own. */
  readonly #in = new Map<string, LinkServer>();
  #clients = 0;
  #toldClients = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when all other hosts tell this one of their sessions. */
  #listening: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: LinksOptions) {
    this.#options = options;
    this.#trouble = new LinkTrouble(options.cluster.hostId, options.log);
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

  /** There is a link to that host, or one is being made. */
  has(hostId: string): boolean {
    return this.#out.has(hostId);
  }

  /** Makes missing links, so that this host's clients hear of all sessions. */
  connectAll(): void {
    const { cluster, log } = this.#options;
    const alive = new Set(cluster.alive);
    const hosts = cluster.hosts.filter(({ id }) => alive.has(id));
    this.#trouble.compare(hosts);
    for (const host of hosts) {
      if (host.id === cluster.hostId || this.#isClosed || !host.url) continue;
      this.to(host.id).then(
        () => this.#trouble.connected(host.id),
        (error: unknown) => {
          log.debug(`no link to ${host.id}: ${errorMessage(error)}`);
          this.#trouble.failed(host, errorMessage(error));
        },
      );
    }
  }

  /** How long ago the other hosts have reached the database; `undefined` for those that don't answer in time. */
  beatAges(ms: number): Promise<(number | undefined)[]> {
    const { cluster } = this.#options;
    const others = cluster.alive.filter((hostId) => hostId !== cluster.hostId);
    return Promise.all(
      others.map((hostId) =>
        within(
          ms,
          this.to(hostId).then((link) => link.ping()),
        ).catch(() => undefined),
      ),
    );
  }

  /** A link from another host. An older one of the same host is of no use to it any more, or it would be told all twice. */
  accept(transport: Transport, from: string): void {
    this.#in.get(from)?.close();
    const link = new LinkServer(transport, this.#options);
    this.#in.set(from, link);
    transport.onClose(() => {
      if (this.#in.get(from) === link) this.#in.delete(from);
    });
  }

  /** Tells the clients of other hosts. */
  broadcast(notification: Notification, options: BroadcastOptions): void {
    for (const link of this.#in.values()) link.notify({ notification, ...options });
  }

  /** Clients of other hosts that hear of this one's sessions. */
  get listeners(): number {
    return [...this.#in.values()].reduce((sum, { clients }) => sum + clients, 0);
  }

  /** Resolves when lists and what is heard from now on have all changes of other hosts. */
  get listening(): Promise<unknown> {
    return this.#listening;
  }

  /** There are so many clients here. Without any, other hosts need not tell of their sessions. */
  setClients(clients: number): void {
    this.#clients = clients;
    if (clients > 0 && this.#toldClients === 0) this.#listening = this.#tellClients();
    else this.#timer ??= setTimeout(() => void this.#tellClients(), COUNT_MS).unref();
  }

  /** Tells all other hosts what agents this one has. */
  tellAgents(agents: readonly AgentInfo[]): void {
    for (const link of this.#in.values()) link.tellAgents(agents);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const link of this.#in.values()) link.close();
    for (const link of this.#out.values()) void link.then((open) => open.close()).catch(() => {});
  }

  async #connect(hostId: string): Promise<Link> {
    const { cluster, eventsOf, log } = this.#options;
    const events = eventsOf(hostId);
    const target = cluster.linkTarget(hostId);
    if (!target || this.#isClosed) throw new Error(`the host ${hostId} has no address yet`);
    const clients = this.#clients;
    const link: Link = await Link.connect(
      { hostId: cluster.hostId, clients },
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
    if (clients !== this.#clients) void this.#tell(link);
    return link;
  }

  async #tellClients(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#clients === this.#toldClients) return;
    this.#toldClients = this.#clients;
    await Promise.all([...this.#out.values()].map((link) => link.then((open) => this.#tell(open)).catch(() => {})));
  }

  /** An older host does not know this, and tells everything. */
  async #tell(link: Link): Promise<void> {
    const params: ListenParams = { clients: this.#clients };
    await link.request('link.listen', params, { timeoutMs: LISTEN_MS }).catch(() => {});
  }

  #forget(hostId: string, link: Promise<Link>): void {
    if (this.#out.get(hostId) === link) this.#out.delete(hostId);
  }
}
