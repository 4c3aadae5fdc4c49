import { setTimeout as delay } from 'node:timers/promises';
import { ERROR_CODE, type URI } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { HostLog } from '../hostLog.js';
import type { Session } from './session.js';
import { MAX_LOADS, MAX_SESSION_BYTES, RECENT_MS } from './sessionLimits.js';

export interface LoadedSessionsOptions {
  /** The sessions in memory. */
  readonly sessions: ReadonlyMap<URI, Session>;
  /** The memory for all of them, in bytes. */
  readonly maxSessionBytes?: number;
  /** A session that was not used for this long is evicted in any case. */
  readonly idleMs: number;
  /** Unloads a session. Resolves when it is unloaded. */
  readonly evict: (uri: URI, session: Session) => Promise<void>;
  /** Called with each sweep. */
  readonly onSweep?: () => void;
  readonly log: HostLog;
}

/** The longest time between two sweeps. */
const SWEEP_MS = 10_000;

/** What a session counts while it is being loaded and its size is unknown. */
const LOADING_BYTES = 2 * 1024 * 1024;

/**
 * Bounds the memory that loaded sessions take. Before one more is loaded, the sessions that were not used for longest are
 * evicted; a session with a subscriber, a running turn or a command at work is never evicted. When none can be, those in use
 * keep fewer of their ended turns. When that is not enough either, nothing more is loaded.
 */
export class LoadedSessions {
  readonly #options: LoadedSessionsOptions;
  readonly #held = new Map<URI, number>();
  /** Those that may go to another host meanwhile. */
  readonly #watched = new Map<URI, number>();
  readonly #queue: (() => void)[] = [];
  readonly #maxBytes: number;
  readonly #sweep: NodeJS.Timeout;
  #loading = 0;

  constructor(options: LoadedSessionsOptions) {
    this.#options = options;
    this.#maxBytes = options.maxSessionBytes ?? MAX_SESSION_BYTES;
    const everyMs = Math.min(Math.max(options.idleMs / 4, 10), SWEEP_MS);
    this.#sweep = setInterval(() => void this.sweep(), everyMs).unref();
  }

  dispose(): void {
    clearInterval(this.#sweep);
  }

  /** Keeps a session in memory until the function that it returns is called, and at this host unless it `mayMove`. */
  hold(uri: URI, mayMove = false): () => void {
    const holds = mayMove ? this.#watched : this.#held;
    holds.set(uri, (holds.get(uri) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const count = (holds.get(uri) ?? 1) - 1;
      if (count > 0) holds.set(uri, count);
      else holds.delete(uri);
    };
  }

  /** A command is at work with it. */
  isHeld(uri: URI): boolean {
    return this.#held.has(uri);
  }

  /** Loads a few at a time: the memory for reading a log is not counted. Rejects when there is no room for one more. */
  async load<T>(make: () => Promise<T>): Promise<T> {
    if (this.#loading >= MAX_LOADS) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#loading++;
    try {
      await this.#makeRoom();
      return await make();
    } finally {
      this.#loading--;
      this.#queue.shift()?.();
    }
  }

  /** Evicts sessions that were idle for `idleMs`, and more of them when loaded sessions have grown beyond the limit. */
  async sweep(): Promise<void> {
    const { sessions, idleMs, onSweep } = this.#options;
    onSweep?.();
    const before = performance.now() - idleMs;
    for (const session of [...sessions.values()]) if (this.#isUnused(session, before)) void this.#evict(session);
    for (let next = this.#nextToLeave(); next && this.#bytes > this.#maxBytes; next = this.#nextToLeave()) {
      await this.#evict(next);
    }
  }

  async #evict(session: Session): Promise<void> {
    const { evict, log } = this.#options;
    await evict(session.uri, session).catch((error: unknown) => log.error(`${session.uri} could not be closed`, error));
  }

  async #makeRoom(): Promise<void> {
    while (this.#bytes + this.#loading * LOADING_BYTES > this.#maxBytes) {
      const next = this.#nextToLeave();
      if (!next) return this.#shrinkAll();
      // The client that has just opened it may be about to use it.
      const recent = next.lastUsed + RECENT_MS - performance.now();
      if (recent > 0) await delay(recent);
      else await this.#evict(next);
    }
  }

  #shrinkAll(): void {
    const { sessions } = this.#options;
    for (const session of sessions.values()) session.shrink();
    // A single session can always be loaded, however small the limit is.
    const isFull = this.#bytes + this.#loading * LOADING_BYTES > this.#maxBytes;
    if (sessions.size > 0 && isFull) throw noRoom(this.#maxBytes);
  }

  get #bytes(): number {
    let sum = 0;
    for (const session of this.#options.sessions.values()) sum += session.bytes;
    return sum;
  }

  #isUnused(session: Session, since: number): boolean {
    return !this.#held.has(session.uri) && !this.#watched.has(session.uri) && session.isIdleSince(since);
  }

  /** The least recently used one of the sessions that are not in use. */
  #nextToLeave(): Session | undefined {
    const now = performance.now();
    let oldest: Session | undefined;
    for (const session of this.#options.sessions.values()) {
      if (!this.#isUnused(session, now)) continue;
      if (!oldest || session.lastUsed < oldest.lastUsed) oldest = session;
    }
    return oldest;
  }
}

function noRoom(maxBytes: number): RpcError {
  const mib = Math.round(maxBytes / 1024 / 1024);
  return new RpcError(
    ERROR_CODE.tooManyRequests,
    `the sessions in memory take all of the ${mib} MiB that they may, and each of them is in use: close some, or wait for their turns, and try again`,
  );
}
