import { errorMessage } from '@agenthost/protocol/internal';
import type { Database } from '../database/database.js';
import type { HostLog } from '../hostLog.js';
import { type HostRow, ObservedHosts } from './observedHosts.js';

export interface HostBeatOptions {
  readonly database: Database;
  /** This run of the host. */
  readonly hostId: string;
  readonly place: string;
  readonly machine: string;
  /** The state folder on this machine. Only one host at a time has it. */
  readonly stateDir: string;
  readonly version: string;
  readonly leaseMs: number;
  /** Other hosts prove with it that they may link to this one. */
  readonly linkKey: string;
  readonly log: HostLog;
}

/** A row of the table of hosts, as others see it. */
export interface KnownHost extends HostRow {
  readonly place: string;
  readonly url: string | null;
  readonly machine: string;
  readonly version: string;
  readonly draining: boolean;
  readonly link_key: string;
  /** An older one can't have sessions outside of `default`. */
  readonly knows_spaces: boolean;
}

const BEAT = `
with b as (update host set beat = beat + 1 where id = $1 returning id)
select id, beat, place, url, machine, version, draining, link_key, knows_spaces, exists (select 1 from b) as is_known from host`;

/** Writes every quarter of a lease that this host is alive, and reads which others are (OWN2). */
export class HostBeat {
  readonly observed: ObservedHosts;
  /** Called after each poll. */
  onPoll: (() => void) | undefined;
  /** Called when somebody else has told this host to drain. */
  onDrain: (() => void) | undefined;
  readonly #options: HostBeatOptions;
  /** A connection of its own: no other statement may hold a beat up, and none may hang for longer than a host can be silent. */
  readonly #connection: Database;
  #hosts: readonly KnownHost[] = [];
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> = Promise.resolve();
  /** A look that has not begun yet. */
  #looking: Promise<void> | undefined;
  #lastReached = performance.now();
  #url: string | undefined;
  #isDraining = false;
  #isEnded = false;

  static async start(options: HostBeatOptions): Promise<HostBeat> {
    const beat = new HostBeat(options);
    await beat.#register();
    await beat.#poll();
    beat.#next();
    return beat;
  }

  private constructor(options: HostBeatOptions) {
    this.#options = options;
    this.#connection = options.database.apart(options.leaseMs / 2);
    this.observed = new ObservedHosts(options);
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get hosts(): readonly KnownHost[] {
    return this.#hosts;
  }

  /** The database was reached within a lease: nobody can have taken this host's sessions meanwhile. */
  get isSure(): boolean {
    return this.beatAgeMs < this.#options.leaseMs;
  }

  /** How long ago the database was reached. */
  get beatAgeMs(): number {
    return performance.now() - this.#lastReached;
  }

  /** Looks at once, as far as the database can be reached. Those who ask meanwhile share one look. */
  look(): Promise<void> {
    this.#looking ??= this.#polling
      .then(() => {
        this.#looking = undefined;
        return this.#poll();
      })
      .catch(() => {});
    this.#polling = this.#looking;
    return this.#looking;
  }

  /** Where others reach this host. */
  async setUrl(url: string): Promise<void> {
    this.#url = url;
    await this.#options.database.settle('update host set url = $2 where id = $1', [this.#options.hostId, url]);
  }

  /** New sessions go elsewhere. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#options.database.settle('update host set draining = true where id = $1', [this.#options.hostId]);
  }

  /** The host ends: others need not wait. */
  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#polling;
    await this.#connection.close();
    await this.#options.database.settle('delete from host where id = $1', [this.#options.hostId]);
  }

  async #register(): Promise<void> {
    const { database, hostId, place, machine, stateDir, version, linkKey } = this.#options;
    // An earlier host with this folder is dead: this one has its lock.
    const sql = 'delete from host where machine = $1 and state_dir = $2 and id <> $3 returning id';
    const earlier = await database.settle<{ id: string }>(sql, [machine, stateDir, hostId]);
    for (const { id } of earlier) this.observed.replaced(id);
    await database.settle(
      `insert into host (id, place, machine, state_dir, version, url, draining, link_key, knows_spaces)
       values ($1, $2, $3, $4, $5, $6, $7, $8, true)
       on conflict (id) do nothing`,
      [hostId, place, machine, stateDir, version, this.#url ?? null, this.#isDraining, linkKey],
    );
  }

  #next(): void {
    if (this.#isEnded) return;
    this.#timer = setTimeout(() => {
      this.#polling = this.#poll().then(() => this.#next());
    }, this.#options.leaseMs / 4).unref();
  }

  async #poll(): Promise<void> {
    const { hostId, log } = this.#options;
    try {
      // Before it is sent: others may see this beat long before its answer comes.
      const asked = performance.now();
      const rows = await this.#connection.query<KnownHost & { is_known: boolean }>(BEAT, [hostId]);
      this.#lastReached = asked;
      this.#hosts = rows;
      this.observed.observe(rows);
      // Others took it for dead and removed it.
      if (!rows.some(({ is_known }) => is_known)) await this.#register();
      if (!this.#isDraining && rows.some(({ id, draining }) => id === hostId && draining)) {
        this.#isDraining = true;
        this.onDrain?.();
      }
      this.onPoll?.();
    } catch (error) {
      log.debug(`the database could not be told that this host is alive: ${errorMessage(error)}`);
    }
  }
}
