import type { IncomingHttpHeaders } from 'node:http';
import { errorMessage } from '@agenthost/protocol/internal';
import type { Database } from '../database/database.js';
import type { HostLog } from '../hostLog.js';
import { HostBeat, type HostBeatOptions, type KnownHost } from './hostBeat.js';
import type { LinkTarget } from './link.js';
import { LinkKeys, newLinkKey } from './linkKeys.js';
import { refusesConnections } from './refusesConnections.js';

/** How long a host may be silent before others take its sessions. */
export const DEFAULT_LEASE_MS = 10_000;

/** The hosts on one database, from the point of view of this one. */
export class Cluster {
  readonly hostId: string;
  readonly #beat: HostBeat;
  readonly #database: Database;
  readonly #log: HostLog;
  /** Takes over what dead hosts have left; set when this host has started. */
  #takeOver: (() => Promise<void>) | undefined;
  #takingOver: Promise<void> = Promise.resolve();
  #isTakingOver = false;

  readonly #keys: LinkKeys;
  readonly #listeners: (() => void)[] = [];

  static async join(options: Omit<HostBeatOptions, 'linkKey'>): Promise<Cluster> {
    const linkKey = newLinkKey();
    const beat = await HostBeat.start({ ...options, linkKey });
    const cluster = new Cluster({ ...options, linkKey }, beat);
    beat.onPoll = () => cluster.#polled();
    return cluster;
  }

  private constructor(
    { hostId, database, log, linkKey }: Pick<HostBeatOptions, 'hostId' | 'database' | 'log' | 'linkKey'>,
    beat: HostBeat,
  ) {
    this.hostId = hostId;
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

  /** The database was reached within a lease: nobody can have taken this host's sessions meanwhile (FEN6). */
  get isSure(): boolean {
    return this.#beat.isSure;
  }

  /** Looks at once, as far as the database can be reached. */
  look(): Promise<void> {
    return this.#beat.look();
  }

  /** Whether that host may still own what is written as its own. When in doubt, it may. */
  async isAlive(hostId: string): Promise<boolean> {
    if (hostId === this.hostId) return true;
    const { observed } = this.#beat;
    // It may have begun since the last look.
    if (!observed.knows(hostId)) await this.#beat.look();
    if (!observed.isAlive(hostId)) return false;
    const url = this.hosts.find(({ id }) => id === hostId)?.url;
    if (!url || !(await refusesConnections(url))) return true;
    observed.declareDead(hostId);
    return false;
  }

  /** Where another host is reached, and how one shows it who asks. */
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

  /** Others reach this host there. */
  listening(url: URL): Promise<void> {
    return this.#beat.setUrl(url.href);
  }

  drain(): Promise<void> {
    return this.#beat.drain();
  }

  /** The host has given back all its sessions. */
  async leave(): Promise<void> {
    this.#takeOver = undefined;
    await this.#takingOver;
    await this.#beat.end();
  }

  #polled(): void {
    for (const listener of this.#listeners) listener();
    if (!this.#takeOver || this.#isTakingOver) return;
    this.#isTakingOver = true;
    this.#takingOver = this.#takeOver()
      .then(() => this.#forgetDead())
      .catch((error: unknown) => this.#log.warn(`what other hosts have left was not taken: ${errorMessage(error)}`))
      .finally(() => {
        this.#isTakingOver = false;
      });
  }

  /** One that only slept registers again. */
  async #forgetDead(): Promise<void> {
    const { dead } = this.#beat.observed;
    if (dead.length > 0) await this.#database.query('delete from host where id = any($1)', [dead]);
  }
}
