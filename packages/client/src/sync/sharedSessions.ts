import {
  createSessionState,
  ERROR_CODE,
  parseSessionUri,
  type SessionAction,
  type SessionState,
  type Snapshot,
  sessionReducer,
  type URI,
} from '@agenthost/protocol';
import type { Disposable, Schedule } from '@agenthost/rpc';
import { backoffDelay } from '../connection/backoff.js';
import type { CommandChannel } from '../connection/commandChannel.js';
import type { Connection } from '../connection/connection.js';
import { CommandFailedError, ConnectionLostError, SessionGoneError } from '../errors.js';
import { ObservableValue, type ReportError } from '../observable.js';
import { Subscription, type SubscriptionOptions } from './subscription.js';
import { joinSnapshot } from './turnsWindow.js';

/** The host has the session, but could not load it when this client came back. */
export interface Interruption {
  /** What it said last. */
  readonly error: Error;
  /** Counts how often it was asked, from 1. */
  readonly attempt: number;
  /** When it is asked again, in milliseconds since 1970; in the past while it is being asked. */
  readonly at: number;
}

/** One subscription, however many handles look at it. */
export interface SharedSession {
  readonly subscription: Subscription<SessionState, SessionAction>;
  readonly gone: ObservableValue<SessionGoneError | undefined>;
  /** Set while the host can't load it. */
  readonly interrupted: ObservableValue<Interruption | undefined>;
  readonly turns: number | undefined;
  /** Of the last snapshot; an older host does not say. */
  incarnation: string | undefined;
  opened: Promise<void>;
  /** A removal was told while its first state was asked for: of this session, or of the one that had its URI before. */
  isDoubtful: boolean;
  references: number;
}

type Events = Pick<SubscriptionOptions<SessionState, SessionAction>, 'onSettled' | 'onApplied' | 'onOverflow'>;

export interface SharedSessionsOptions extends Events {
  readonly clientId: string;
  readonly connection: Connection;
  readonly commands: CommandChannel;
  /** Called before the snapshot is applied. */
  readonly onSnapshot: (snapshot: Snapshot) => void;
  readonly reportError: ReportError;
}

/** Subscribes with the first handle and unsubscribes with the last. */
export class SharedSessions {
  readonly #options: SharedSessionsOptions;
  readonly #sessions = new Map<URI, SharedSession>();

  constructor(options: SharedSessionsOptions) {
    this.#options = options;
  }

  get(resource: URI): SharedSession | undefined {
    return this.#sessions.get(resource);
  }

  /** Whether it has handles or unanswered actions, and the host still has it. */
  isHeld(shared: SharedSession): boolean {
    return this.#sessions.get(shared.subscription.resource) === shared;
  }

  /** Those that have a state to go on from. */
  synced(): readonly SharedSession[] {
    return [...this.#sessions.values()].filter(({ subscription }) => subscription.synced);
  }

  /** Rejects when the host gives no first snapshot; then nothing is held. */
  async acquire(resource: URI, turns?: number): Promise<SharedSession> {
    const shared = this.#sessions.get(resource) ?? this.#open(resource, turns);
    shared.references++;
    try {
      await shared.opened;
    } catch (error) {
      this.#remove(shared);
      throw error;
    }
    return shared;
  }

  release(shared: SharedSession): void {
    shared.references--;
    this.endUnused(shared);
  }

  /**
   * Unsubscribes when no handle is left. Not while actions wait for their answer: only what a client subscribes to is
   * resumed after a lost connection, and nothing that was sent may be forgotten.
   */
  endUnused(shared: SharedSession): void {
    const { subscription } = shared;
    if (shared.references > 0 || !subscription.synced || subscription.pendingCount > 0) return;
    const { resource } = subscription;
    if (this.#remove(shared)) this.#options.connection.notify('unsubscribe', { resource });
  }

  /** Subscribes again, to a session that is known here but that the host does not send any more. */
  resubscribe({ subscription, turns }: SharedSession): Promise<Snapshot> {
    return this.#askForSnapshot(subscription, turns);
  }

  applySnapshot(shared: SharedSession, { state, fromSeq, incarnation }: Snapshot): void {
    const isAnother = isRemade(shared, incarnation);
    shared.incarnation = incarnation ?? shared.incarnation;
    shared.subscription.applySnapshot(state as SessionState, fromSeq, isAnother);
  }

  /** The host has it no more. Its handles keep what they last saw; opening it again asks the host again. */
  markGone(shared: SharedSession): void {
    if (this.#remove(shared)) shared.gone.set(new SessionGoneError(shared.subscription.resource));
  }

  #open(resource: URI, turns: number | undefined): SharedSession {
    const shared: SharedSession = {
      subscription: this.#createSubscription(resource),
      gone: new ObservableValue<SessionGoneError | undefined>(undefined, this.#options.reportError),
      interrupted: new ObservableValue<Interruption | undefined>(undefined, this.#options.reportError),
      turns,
      incarnation: undefined,
      opened: Promise.resolve(),
      isDoubtful: false,
      references: 0,
    };
    this.#sessions.set(resource, shared);
    shared.opened = this.#subscribe(shared);
    return shared;
  }

  #createSubscription(resource: URI): Subscription<SessionState, SessionAction> {
    const { clientId, onSettled, onApplied, onOverflow, reportError } = this.#options;
    const provider = parseSessionUri(resource)?.provider ?? '';
    return new Subscription<SessionState, SessionAction>({
      resource,
      clientId,
      reducer: sessionReducer,
      initial: createSessionState({ resource, provider, createdAt: 0 }),
      joinSnapshot,
      onSettled,
      onApplied,
      onOverflow,
      reportError,
    });
  }

  async #subscribe(shared: SharedSession): Promise<void> {
    const { subscription, turns } = shared;
    let snapshot = await this.#askForSnapshot(subscription, turns);
    while (shared.isDoubtful) {
      shared.isDoubtful = false;
      snapshot = await this.#askForSnapshot(subscription, turns);
    }
    this.#options.onSnapshot(snapshot);
    this.applySnapshot(shared, snapshot);
    this.endUnused(shared);
  }

  async #askForSnapshot(
    subscription: Subscription<SessionState, SessionAction>,
    turns: number | undefined,
    mayRetry = true,
  ): Promise<Snapshot> {
    const { resource } = subscription;
    // Again for each try: what a lost connection had brought does not continue the next snapshot.
    subscription.beginSync();
    try {
      return await this.#options.commands.request('subscribe', { resource, ...(turns !== undefined && { turns }) });
    } catch (error) {
      if (mayRetry && error instanceof ConnectionLostError && error.sent) {
        return this.#askForSnapshot(subscription, turns, false);
      }
      if (error instanceof CommandFailedError && error.code === ERROR_CODE.sessionNotFound) {
        throw new SessionGoneError(resource, { cause: error });
      }
      throw error;
    }
  }

  #remove(shared: SharedSession): boolean {
    return this.isHeld(shared) && this.#sessions.delete(shared.subscription.resource);
  }
}

export interface InterruptedSessionsOptions {
  readonly schedule: Schedule;
  readonly random: () => number;
  readonly connection: Connection;
  readonly sessions: SharedSessions;
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

  /** Asks for all of them at once: there is a connection again, or the user does not want to wait. */
  retryNow(): void {
    for (const waiting of [...this.#waiting.values()]) {
      waiting.timer?.dispose();
      if (!waiting.isAsking) void this.#ask(waiting);
    }
  }

  /** It is gone, or no handle needs it any more. */
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
    if (this.#isOver(waiting) || this.#options.connection.peer === undefined) return;
    waiting.isAsking = true;
    const [answer] = await Promise.allSettled([this.#options.sessions.resubscribe(shared)]);
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

  /** No handle waits for it any more. */
  #isOver({ shared }: Waiting): boolean {
    if (!this.#options.sessions.isHeld(shared)) this.delete(shared);
    return !this.#waiting.has(shared);
  }
}

/** Whether a snapshot is of a session that was made after the one that is known here was disposed. */
export function isRemade(shared: SharedSession, incarnation: string | undefined): boolean {
  return shared.incarnation !== undefined && incarnation !== undefined && shared.incarnation !== incarnation;
}
