import { dropOldest } from '@agenthost/protocol/internal';

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
  /** When its address refused connections. */
  readonly refusedAt?: number;
}

const MIN_POLLS = 3;
/** How long it may take until all agents of a dead host have ended: its guard notices the end at once, and a silence after a lease. */
export const AGENT_END_MS = 5_000;
/** Hosts that are remembered after they have left. */
const MAX_GONE = 1_000;

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
  /** Hosts without a row: when they were dead at the latest. */
  readonly #gone = new Map<string, number>();
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
    for (const [id, seen] of [...this.#hosts]) if (!ids.has(id)) this.#left(id, Math.min(now, this.#deadAt(seen)));
    for (const { id, beat } of rows) {
      const before = this.#hosts.get(id);
      this.#gone.delete(id);
      if (before?.beat !== beat) this.#hosts.set(id, { beat, since: now, polls: 1 });
      else this.#hosts.set(id, { ...before, ...(hasGap ? { since: now, polls: 1 } : { polls: before.polls + 1 }) });
    }
  }

  knows(id: string): boolean {
    return this.#hosts.has(id);
  }

  /** A host that is not known has ended, or never was. */
  isAlive(id: string): boolean {
    const seen = this.#hosts.get(id);
    return seen !== undefined && seen.refusedAt === undefined && !this.#isSilent(seen);
  }

  /**
   * When no agent of a host that is dead can be at work any more: its last beat that was seen is a lease and some seconds old, or it
   * refused connections some seconds ago (FEN7).
   */
  freeAt(id: string): number {
    const seen = this.#hosts.get(id);
    if (seen) return this.#deadAt(seen) + AGENT_END_MS;
    const known = this.#gone.get(id);
    if (known === undefined) this.#left(id, this.#now());
    return (known ?? this.#now()) + AGENT_END_MS;
  }

  /** It ended, and its agents with it: this host has its folder. */
  replaced(id: string): void {
    this.#left(id, Number.NEGATIVE_INFINITY);
  }

  /** Hosts that are in the database, and dead. */
  get dead(): string[] {
    return [...this.#hosts].filter(([, seen]) => this.#isSilent(seen)).map(([id]) => id);
  }

  get alive(): string[] {
    return [...this.#hosts.keys()].filter((id) => this.isAlive(id));
  }

  /** Something else showed that it is dead: its address refuses connections (OWN4). It is not, if it beats again. */
  declareDead(id: string): void {
    const seen = this.#hosts.get(id);
    if (seen) this.#hosts.set(id, { refusedAt: this.#now(), ...seen });
  }

  #left(id: string, at: number): void {
    this.#hosts.delete(id);
    this.#gone.set(id, at);
    dropOldest(this.#gone, MAX_GONE);
  }

  #deadAt({ since, refusedAt }: Observation): number {
    return refusedAt ?? since + this.#leaseMs;
  }

  #isSilent({ since, polls }: Observation): boolean {
    return polls >= MIN_POLLS && this.#now() - since >= this.#leaseMs;
  }
}
