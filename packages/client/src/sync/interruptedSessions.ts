import type { Snapshot } from '@agenthost/protocol';
import type { Disposable } from '@agenthost/rpc';
import { backoffDelay } from '../connection/backoff.js';
import type { Schedule } from '../connection/timer.js';
import { SessionGoneError } from '../errors.js';
import type { SharedSession } from './sharedSessions.js';

/** The host has the session, but could not load it when this client came back. */
export interface Interruption {
  /** What it said last. */
  readonly error: Error;
  /** Counts how often it was asked, from 1. */
  readonly attempt: number;
  /** When it is asked again, in milliseconds since 1970; in the past while it is being asked. */
  readonly at: number;
}

export interface InterruptedSessionsOptions {
  readonly schedule: Schedule;
  readonly random: () => number;
  readonly isConnected: () => boolean;
  /** Whether anybody is still interested in it. */
  readonly isHeld: (shared: SharedSession) => boolean;
  readonly askForSnapshot: (shared: SharedSession) => Promise<Snapshot>;
  readonly onSnapshot: (shared: SharedSession, snapshot: Snapshot) => void;
  readonly onGone: (shared: SharedSession) => void;
}

interface Waiting {
  readonly shared: SharedSession;
  isAsking: boolean;
  timer?: Disposable | undefined;
}

/**
 * Sessions that could not be resumed, each asked for again, later each time, until it is there or gone. Between connections they
 * wait. They can't be resumed with a replay any more: what the host counts has gone on without them.
 */
export class InterruptedSessions {
  readonly #options: InterruptedSessionsOptions;
  readonly #waiting = new Map<SharedSession, Waiting>();

  constructor(options: InterruptedSessionsOptions) {
    this.#options = options;
  }

  has(shared: SharedSession): boolean {
    return this.#waiting.has(shared);
  }

  add(shared: SharedSession, error: Error): void {
    const waiting = this.#waiting.get(shared) ?? { shared, isAsking: false };
    this.#waiting.set(shared, waiting);
    this.#pause(waiting, error);
  }

  /** Asks for all of them at once: there is a connection again, or somebody does not want to wait. */
  retryNow(): void {
    for (const waiting of [...this.#waiting.values()]) {
      waiting.timer?.dispose();
      if (!waiting.isAsking) void this.#ask(waiting);
    }
  }

  /** It is gone, or nobody asks for it any more. */
  delete(shared: SharedSession): void {
    this.#waiting.get(shared)?.timer?.dispose();
    if (this.#waiting.delete(shared)) shared.interrupted.set(undefined);
  }

  clear(): void {
    for (const shared of [...this.#waiting.keys()]) this.delete(shared);
  }

  #pause(waiting: Waiting, error: Error): void {
    const { schedule, random } = this.#options;
    const { shared } = waiting;
    const attempt = (shared.interrupted.value?.attempt ?? 0) + 1;
    const delay = backoffDelay(attempt, random);
    waiting.timer = schedule(() => void this.#ask(waiting), delay);
    shared.interrupted.set({ error, attempt, at: Date.now() + delay });
  }

  async #ask(waiting: Waiting): Promise<void> {
    const { shared } = waiting;
    if (this.#isOver(waiting) || !this.#options.isConnected()) return;
    waiting.isAsking = true;
    const [answer] = await Promise.allSettled([this.#options.askForSnapshot(shared)]);
    waiting.isAsking = false;
    if (this.#isOver(waiting)) return;
    if (answer.status === 'fulfilled') {
      this.delete(shared);
      this.#options.onSnapshot(shared, answer.value);
    } else if (answer.reason instanceof SessionGoneError) {
      this.#options.onGone(shared);
    } else {
      this.#pause(waiting, answer.reason instanceof Error ? answer.reason : new Error(String(answer.reason)));
    }
  }

  /** Nobody waits for it any more. */
  #isOver({ shared }: Waiting): boolean {
    if (!this.#options.isHeld(shared)) this.delete(shared);
    return !this.#waiting.has(shared);
  }
}
