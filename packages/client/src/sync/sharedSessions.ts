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
import { CommandFailedError, ConnectionLostError, SessionGoneError } from '../errors.js';
import type { ReportError } from '../listeners.js';
import { ObservableValue } from '../observable.js';
import type { Interruption } from './interruptedSessions.js';
import { Subscription, type SubscriptionOptions } from './subscription.js';
import { joinSnapshot } from './turnsWindow.js';

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
  references: number;
}

type Events = Pick<SubscriptionOptions<SessionState, SessionAction>, 'onSettled' | 'onApplied' | 'onOverflow'>;

export interface SharedSessionsOptions extends Events {
  readonly clientId: string;
  readonly subscribe: (resource: URI, turns: number | undefined) => Promise<Snapshot>;
  readonly unsubscribe: (resource: URI) => void;
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

  /** Those that have a state to go on from. */
  synced(): readonly SharedSession[] {
    return [...this.#sessions.values()].filter(({ subscription }) => subscription.synced);
  }

  /** Rejects when the first snapshot can't be had; then nothing is held. */
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
    if (this.#remove(shared)) this.#options.unsubscribe(subscription.resource);
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
    const snapshot = await this.#askForSnapshot(subscription, turns);
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
      return await this.#options.subscribe(resource, turns);
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
    const { resource } = shared.subscription;
    return this.#sessions.get(resource) === shared && this.#sessions.delete(resource);
  }
}

/** Whether a snapshot is of a session that was made after the one that is known here was disposed. */
export function isRemade(shared: SharedSession, incarnation: string | undefined): boolean {
  return shared.incarnation !== undefined && incarnation !== undefined && shared.incarnation !== incarnation;
}
