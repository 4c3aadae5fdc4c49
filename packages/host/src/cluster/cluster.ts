import type { IncomingHttpHeaders } from 'node:http';
import { hostname } from 'node:os';
import { errorMessage } from '@agenthost/protocol/internal';
import type { Database } from '../database/database.js';
import type { HostLog } from '../hostLog.js';
import { isLoopback } from '../server/networkAddress.js';
import { HostBeat, type HostBeatOptions, type KnownHost } from './hostBeat.js';
import type { LinkTarget } from './link.js';
import { LinkKeys, newLinkKey } from './linkKeys.js';
import { refusesConnections } from './refusesConnections.js';

/** How long a host may be silent before others take its sessions. */
export const DEFAULT_LEASE_MS = 10_000;

/** The hosts on one database, from the point of view of this one. */
export class Cluster {
  readonly hostId: string;
  readonly leaseMs: number;
  readonly place: string;
  readonly #beat: HostBeat;
  readonly #database: Database;
  readonly #log: HostLog;
  readonly #keys: LinkKeys;
  readonly #listeners: (() => void)[] = [];
  /** Takes over what dead hosts have left; set when this host has started. */
  #takeOver: (() => Promise<void>) | undefined;
  #takingOver: Promise<void> = Promise.resolve();
  #isTakingOver = false;

  static async join(options: Omit<HostBeatOptions, 'linkKey'>): Promise<Cluster> {
    const linkKey = newLinkKey();
    const beat = await HostBeat.start({ ...options, linkKey });
    const cluster = new Cluster({ ...options, linkKey }, beat);
    beat.onPoll = () => cluster.#polled();
    return cluster;
  }

  private constructor(options: Omit<HostBeatOptions, 'machine' | 'stateDir' | 'version'>, beat: HostBeat) {
    const { hostId, place, database, log, linkKey, leaseMs } = options;
    this.hostId = hostId;
    this.place = place;
    this.leaseMs = leaseMs;
    this.#keys = new LinkKeys(linkKey, hostId);
    this.#beat = beat;
    this.#database = database;
    this.#log = log;
  }

  get hosts(): readonly KnownHost[] {
    return this.#beat.hosts;
  }

  /** Hosts that are alive, with this one. */
  get alive(): readonly string[] {
    return [...new Set([...this.#beat.observed.alive, this.hostId])];
  }

  /** Why a balancer should send nobody here; `undefined` when it may. */
  get trouble(): 'database' | 'draining' | undefined {
    if (this.#beat.isDraining) return 'draining';
    return this.#beat.isSure ? undefined : 'database';
  }

  get isDraining(): boolean {
    return this.#beat.isDraining;
  }

  /** The database was reached within a lease: nobody can have taken this host's sessions meanwhile (FEN6). */
  get isSure(): boolean {
    return this.#beat.isSure;
  }

  /** How long ago the database was reached. */
  get beatAgeMs(): number {
    return this.#beat.beatAgeMs;
  }

  /** Whether that host may still own what is written as its own. When in doubt, it may. */
  async isAlive(hostId: string): Promise<boolean> {
    if (hostId === this.hostId) return true;
    const { observed } = this.#beat;
    // It may have begun since the last look.
    if (!observed.knows(hostId)) await this.#beat.look();
    if (!observed.isAlive(hostId)) return false;
    const { url, machine } = this.hosts.find(({ id }) => id === hostId) ?? {};
    // Nobody listens at the loopback address of another machine.
    if (!url || (machine !== hostname() && isLoopback(new URL(url).hostname.replace(/[[\]]/g, '')))) return true;
    if (!(await refusesConnections(url))) return true;
    observed.declareDead(hostId);
    return false;
  }

  /**
   * Which host takes a session that nobody has: one of its place before others, and none that is about to stop as long as there
   * is another. `undefined`: this one.
   */
  async hostFor(place: string): Promise<string | undefined> {
    const { isDraining } = this.#beat;
    if (place === this.place && !isDraining) return undefined;
    return (await this.#firstOf(({ place: there }) => there === place)) ?? (isDraining ? this.#firstOf() : undefined);
  }

  /** Another host of this place, for what this one does not begin any more. */
  successor(): Promise<string | undefined> {
    return this.#firstOf(({ place }) => place === this.place);
  }

  /** Where other hosts are that can take sessions. */
  get otherPlaces(): ReadonlySet<string> {
    const { observed } = this.#beat;
    const others = this.hosts.filter(({ id, url, draining }) => id !== this.hostId && url !== null && !draining);
    return new Set(others.filter(({ id }) => observed.isAlive(id)).map(({ place }) => place));
  }

  /** Looks at the other hosts at once. */
  look(): Promise<void> {
    return this.#beat.look();
  }

  /** Where another host is reached, and the key that opens a link to it. */
  linkTarget(hostId: string): LinkTarget | undefined {
    const host = this.hosts.find(({ id }) => id === hostId);
    return host?.url ? { id: hostId, url: host.url, linkKey: host.link_key } : undefined;
  }

  /** The host that wants to link to this one; `undefined` when it can't show that it is one of them. */
  identifyLink(headers: IncomingHttpHeaders): string | undefined {
    return this.#keys.identify(headers);
  }

  /** Called after each look at the other hosts. */
  onPolled(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** `takeOver` is called now and then, to end what dead hosts have left at work. */
  onTakeOver(takeOver: () => Promise<void>): void {
    this.#takeOver = takeOver;
  }

  /** Tells other hosts where they reach this one. */
  listening(url: URL): Promise<void> {
    return this.#beat.setUrl(url.href);
  }

  /** Others see that this host is about to stop. */
  drain(): Promise<void> {
    return this.#beat.drain();
  }

  /** Called when somebody else has told this host to drain. */
  onDrain(listener: () => void): void {
    this.#beat.onDrain = listener;
  }

  /** The host has given back all its sessions. */
  async leave(): Promise<void> {
    this.#takeOver = undefined;
    await this.#takingOver;
    await this.#beat.end();
  }

  /** The first living host that can take sessions, other than this one. */
  async #firstOf(fits: (host: KnownHost) => boolean = () => true): Promise<string | undefined> {
    for (const host of this.hosts) {
      const isOther = host.id !== this.hostId && host.url !== null && !host.draining;
      if (isOther && fits(host) && (await this.isAlive(host.id))) return host.id;
    }
    return undefined;
  }

  #polled(): void {
    for (const listener of this.#listeners) listener();
    if (!this.#takeOver || this.#isTakingOver || this.#beat.isDraining) return;
    this.#isTakingOver = true;
    this.#takingOver = this.#takeOver()
      .then(() => this.#forgetDead())
      .catch((error: unknown) => this.#log.warn(`what other hosts have left was not taken: ${errorMessage(error)}`))
      .finally(() => {
        this.#isTakingOver = false;
      });
  }

  /** Removes the rows of dead hosts. A host that only slept registers again. */
  async #forgetDead(): Promise<void> {
    const { dead } = this.#beat.observed;
    if (dead.length > 0) await this.#database.query('delete from host where id = any($1)', [dead]);
  }
}
