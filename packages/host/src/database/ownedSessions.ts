import type { Fence } from './fence.js';

/** The other hosts on this database, as far as ownership needs to know them. */
export interface LivingHosts {
  /** Hosts that are alive, with this one. */
  readonly alive: readonly string[];
  /** Whether that host may still own what is written as its own. When in doubt, it may. */
  isAlive(hostId: string): Promise<boolean>;
  /** Which host takes a session of that place and space that nobody has; `undefined`: this one. */
  hostFor(place: string, provider?: string, space?: string): Promise<string | undefined>;
  /** When no agent of a host that is dead can be at work any more: a time of `performance.now()` (FEN7). */
  freeAt(hostId: string): number;
  /** The name of the machines that see the same folders as this host. */
  readonly place: string;
  /** What people call this host. */
  readonly label?: string;
}

/** A session that this host has open, or had when something was written about it. */
export interface OwnedSession {
  readonly fence: Fence;
  /** Whether the index has read all of its log, or was told of it since. */
  isIndexed: boolean;
  /** Bytes of its log that are stored. */
  logSize(): number;
}

/** The sessions that this host has open, by their ids. */
export class OwnedSessions {
  readonly #sessions = new Map<string, OwnedSession>();
  readonly #listeners = new Set<(owned: OwnedSession) => Promise<void>>();

  get(sessionId: string): OwnedSession | undefined {
    return this.#sessions.get(sessionId);
  }

  get all(): readonly OwnedSession[] {
    return [...this.#sessions.values()];
  }

  add(owned: OwnedSession): void {
    this.#sessions.set(owned.fence.sessionId, owned);
  }

  /** Resolves when all that is known of it is written. */
  async remove(owned: OwnedSession): Promise<void> {
    const { sessionId } = owned.fence;
    if (this.#sessions.get(sessionId) === owned) this.#sessions.delete(sessionId);
    await Promise.all([...this.#listeners].map((listener) => listener(owned)));
  }

  /** Called when a session is closed, with the last chance to write about it. */
  onRemoved(listener: (owned: OwnedSession) => Promise<void>): void {
    this.#listeners.add(listener);
  }
}
