/** A host as the database has it. */
export interface HostRow {
  readonly id: string;
  readonly beat: string;
}

interface Observation {
  readonly beat: string;
  /** By this host's own clock: when that beat was seen first. */
  readonly since: number;
  readonly polls: number;
}

const MIN_POLLS = 3;

export interface ObservedHostsOptions {
  readonly leaseMs: number;
  /** A clock that nobody sets. */
  readonly now?: () => number;
}

/**
 * Which hosts are alive, by their beats in the database and this host's own clock alone: no clock of another machine is ever
 * compared. A host is dead when its beat has not changed for a whole lease, over at least three polls without a gap (OWN3).
 */
export class ObservedHosts {
  readonly #leaseMs: number;
  readonly #now: () => number;
  readonly #hosts = new Map<string, Observation>();
  #lastPoll = Number.NEGATIVE_INFINITY;

  constructor({ leaseMs, now = () => performance.now() }: ObservedHostsOptions) {
    this.#leaseMs = leaseMs;
    this.#now = now;
  }

  /** All rows of one poll. */
  observe(rows: readonly HostRow[]): void {
    const now = this.#now();
    const hasGap = now - this.#lastPoll > this.#leaseMs / 2;
    this.#lastPoll = now;
    // A host that is in no row any more has ended.
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of [...this.#hosts.keys()]) if (!ids.has(id)) this.#hosts.delete(id);
    for (const { id, beat } of rows) {
      const before = this.#hosts.get(id);
      const isSame = before?.beat === beat && !hasGap;
      this.#hosts.set(id, isSame ? { ...before, polls: before.polls + 1 } : { beat, since: now, polls: 1 });
    }
  }

  knows(id: string): boolean {
    return this.#hosts.has(id);
  }

  /** A host that is not known has ended, or never was. */
  isAlive(id: string): boolean {
    const seen = this.#hosts.get(id);
    return seen !== undefined && !this.#isSilent(seen);
  }

  /** Hosts that are in the database, and dead. */
  get dead(): string[] {
    return [...this.#hosts].filter(([, seen]) => this.#isSilent(seen)).map(([id]) => id);
  }

  get alive(): string[] {
    return [...this.#hosts.keys()].filter((id) => this.isAlive(id));
  }

  /** Something else showed that it is dead: its address refuses connections (OWN4). */
  declareDead(id: string): void {
    this.#hosts.delete(id);
  }

  #isSilent({ since, polls }: Observation): boolean {
    return polls >= MIN_POLLS && this.#now() - since >= this.#leaseMs;
  }
}
