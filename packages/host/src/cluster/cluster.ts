import type { IncomingHttpHeaders } from 'node:http';
import { hostname } from 'node:os';
import type { Notification } from '@agenthost/protocol';
import { DEFAULT_SPACE, errorMessage } from '@agenthost/protocol/internal';
import { readClusterId } from '../database/clusterId.js';
import type { Database } from '../database/database.js';
import { countRunning, readNewestOf, readPlaces } from '../database/placeStatements.js';
import type { HostLog } from '../hostLog.js';
import { isLoopback } from '../server/networkAddress.js';
import { isSamePlace } from '../storage/placeUri.js';
import { DatabaseNotice } from './databaseNotice.js';
import { HostBeat, type HostBeatOptions, type KnownHost } from './hostBeat.js';
import type { LinkTarget } from './links/link.js';
import { LinkKeys, newLinkKey } from './links/linkKeys.js';
import { refusesConnections } from './refusesConnections.js';

/** How long a host may be silent before others take its sessions. */
export const DEFAULT_LEASE_MS = 10_000;
/** A host that runs tells the guard of its agents more often than this. Together with their end less than `AGENT_END_MS`. */
const MIN_AGENT_LEASE_MS = 3_000;

const LABEL_ID_LENGTH = 8;

/** The hosts on one database, from the point of view of this one. */
export class Cluster {
  /** The same for all hosts on the database. */
  readonly id: string;
  readonly hostId: string;
  /** For people: the machine, and as much of the id as tells several hosts on it apart. */
  readonly label: string;
  readonly leaseMs: number;
  readonly place: string;
  /** Whether a host has an agent, as far as is known. */
  canRun: (hostId: string, provider: string) => boolean = () => true;
  readonly #beat: HostBeat;
  readonly #database: Database;
  readonly #log: HostLog;
  readonly #keys: LinkKeys;
  readonly #listeners: (() => void)[] = [];
  #notice: DatabaseNotice | undefined;
  /** Takes over what dead hosts have left; set when this host has started. */
  #takeOver: (() => Promise<void>) | undefined;
  #takingOver: Promise<void> = Promise.resolve();
  #isTakingOver = false;
  /** Since the database was reached last: whether nobody reaches it, or this host alone does not. */
  #verdict: 'gone' | 'cutOff' | undefined;

  static async join(options: Omit<HostBeatOptions, 'linkKey'>): Promise<Cluster> {
    const linkKey = newLinkKey();
    const id = await readClusterId(options.database);
    const beat = await HostBeat.start({ ...options, linkKey });
    const cluster = new Cluster({ ...options, linkKey, id }, beat);
    beat.onPoll = () => cluster.#polled();
    return cluster;
  }

  private constructor(
    options: Omit<HostBeatOptions, 'stateDir' | 'version'> & { readonly id: string },
    beat: HostBeat,
  ) {
    const { id, hostId, place, machine, database, log, linkKey, leaseMs } = options;
    this.id = id;
    this.label = `${machine} ${hostId.slice(0, LABEL_ID_LENGTH)}`;
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

  /** Why the database is not reached, as far as the other hosts know (FEN6). */
  judge(verdict: 'gone' | 'cutOff'): void {
    this.#verdict = verdict;
  }

  /**
   * How long agents may go on when this host falls silent now: they have ended before others start some (FEN7). It counts from the
   * last beat, as others do. While the database is gone nobody can take anything, and all of a lease remains.
   */
  get agentLease(): { readonly ms: number; readonly leftMs: () => number } {
    const { leaseMs: ms } = this;
    const leftMs = () => {
      if (this.#verdict === 'cutOff') return 0;
      if (this.#verdict === 'gone') return ms;
      return Math.max(ms - this.beatAgeMs, Math.min(MIN_AGENT_LEASE_MS, ms));
    };
    return { ms, leftMs };
  }

  /** When no agent of a host that is dead can be at work any more, by this host's own clock (FEN7). */
  freeAt(hostId: string): number {
    return this.#beat.observed.freeAt(hostId);
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
   * Which host takes a session that nobody has: one of its place before others, there one that can run its agent before others,
   * and none that is about to stop as long as there is another. `undefined`: this one.
   */
  async hostFor(place: string, provider?: string, space: string = DEFAULT_SPACE): Promise<string | undefined> {
    const { isDraining } = this.#beat;
    const runs = (hostId: string) => provider === undefined || this.canRun(hostId, provider);
    const isHere = place === this.place && !isDraining;
    if (isHere && runs(this.hostId)) return undefined;
    const isThere = (host: KnownHost) => host.place === place && knowsSpace(host, space);
    const able = await this.#firstOf((host) => isThere(host) && runs(host.id));
    if (able !== undefined || isHere) return able;
    const anywhere = (host: KnownHost) => knowsSpace(host, space);
    return (await this.#firstOf(isThere)) ?? (isDraining ? this.#firstOf(anywhere) : undefined);
  }

  /** The hosts of a place that take new sessions of that space, as far as is known; with this one. */
  takersAt(place: string, space: string = DEFAULT_SPACE): readonly KnownHost[] {
    return this.#takers.filter((host) => isSamePlace(host.place, place) && knowsSpace(host, space));
  }

  /** Where hosts are that take sessions. */
  get places(): readonly string[] {
    return [...new Set(this.#takers.map(({ place }) => place))].toSorted();
  }

  /** Where other hosts are that take sessions of that space. */
  otherPlaces(space: string): ReadonlySet<string> {
    const others = this.#takers.filter((host) => host.id !== this.hostId && knowsSpace(host, space));
    return new Set(others.map(({ place }) => place));
  }

  /** Where anybody is alive, with those that are about to stop. */
  get livePlaces(): ReadonlySet<string> {
    const { observed } = this.#beat;
    return new Set([this.place, ...this.hosts.filter(({ id }) => observed.isAlive(id)).map(({ place }) => place)]);
  }

  /** How many sessions of each of these hosts have a turn at work. Hosts without one are missing. */
  running(hostIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return countRunning(this.#database, hostIds);
  }

  /** The places of these sessions, by their ids. */
  placesOf(sessionIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return readPlaces(this.#database, sessionIds);
  }

  /** The newest sessions of a place, as lists have them. */
  newestOf(place: string): ReturnType<typeof readNewestOf> {
    return readNewestOf(this.#database, place);
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

  /** `tell` is called while the database does not answer. It must not wait for what is to be stored. */
  onAway(tell: (notification: Notification) => void): void {
    this.#notice = new DatabaseNotice(this.#database.reach, tell);
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
    this.#notice?.dispose();
    this.#takeOver = undefined;
    await this.#takingOver;
    await this.#beat.end();
  }

  get #takers(): readonly KnownHost[] {
    const { observed, isDraining } = this.#beat;
    return this.hosts.filter(({ id, url, draining }) =>
      id === this.hostId ? !isDraining : url !== null && !draining && observed.isAlive(id),
    );
  }

  /** The first living host that can take sessions, other than this one. */
  async #firstOf(fits: (host: KnownHost) => boolean): Promise<string | undefined> {
    for (const host of this.hosts) {
      const isOther = host.id !== this.hostId && host.url !== null && !host.draining;
      if (isOther && fits(host) && (await this.isAlive(host.id))) return host.id;
    }
    return undefined;
  }

  #polled(): void {
    this.#verdict = undefined;
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

/** Whether a host can have a session of that space: one of an older build sees only `default`. */
function knowsSpace({ knows_spaces: knowsSpaces }: KnownHost, space: string): boolean {
  return knowsSpaces || space === DEFAULT_SPACE;
}
