import {
  type ChangesState,
  changesReducer,
  changesUri,
  createChangesState,
  ERROR_CODE,
  type Notification,
  PROTOCOL_VERSION,
  type Snapshot,
  type URI,
} from '@agenthost/protocol';
import { errorMessage, sameValue } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { AskingClient, SubscribableResource, VisibleSessions } from '../sessions/sessions.js';
import { type Publisher, type SequenceSource, type Subscriber, SubscriberList } from '../state/publisher.js';

/** Shorter than the time for which the owner of the session looks after the folder. */
const RENEW_MS = 30_000;
/** Between two looks. */
const PAUSE_MS = 1_000;
/** A client that comes back within this time gets what it missed, and no snapshot. */
const KEPT_MS = 60_000;
const READER: AskingClient = { author: { clientId: '' }, protocolVersion: PROTOCOL_VERSION, role: 'viewer' };

interface ChangesResourcesOptions {
  readonly sessionsOf: (space: string) => VisibleSessions;
  readonly publisher: Publisher;
  readonly sequence: SequenceSource;
}

/** The changes of sessions that clients of this host look at, whichever host has the session. */
export class ChangesResources {
  readonly #options: ChangesResourcesOptions;
  /** By session. */
  readonly watched = new Map<URI, ChangesResource>();

  constructor(sessionsOf: (space: string) => VisibleSessions, publisher: Publisher, sequence: SequenceSource) {
    this.#options = { sessionsOf, publisher, sequence };
  }

  /** Of a session that the client sees, which is in this space. */
  of(session: URI, space: string): SubscribableResource {
    const known = this.watched.get(session);
    if (known) return known;
    const sessions = this.#options.sessionsOf(space);
    const made = new ChangesResource(session, sessions, this.#options, () => this.watched.delete(session));
    this.watched.set(session, made);
    return made;
  }

  /** What clients of this host are told. */
  told(notification: Notification): void {
    if (!('session' in notification)) return;
    const resource = this.watched.get(notification.session);
    if (notification.type === 'notify/workChanged') resource?.changed();
    else if (notification.type === 'notify/sessionRemoved') resource?.changed();
    // The folder may be trusted now.
    else if (notification.type === 'notify/sessionSummaryChanged' && notification.changes.metadata !== undefined) {
      if (resource?.hasProblem) resource.changed();
    }
  }
}

class ChangesResource implements SubscribableResource {
  readonly #session: URI;
  readonly #sessions: VisibleSessions;
  readonly #options: ChangesResourcesOptions;
  readonly #onUnused: () => void;
  readonly #subscribers = new SubscriberList();
  #state: ChangesState;
  #letGo: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;
  #isLooking = false;
  #isChanged = false;
  #ending: NodeJS.Timeout | undefined;

  constructor(session: URI, sessions: VisibleSessions, options: ChangesResourcesOptions, onUnused: () => void) {
    this.#session = session;
    this.#sessions = sessions;
    this.#options = options;
    this.#onUnused = onUnused;
    this.#state = createChangesState(session);
    this.#endLater();
  }

  get hasProblem(): boolean {
    return this.#state.problem !== undefined;
  }

  subscribe(subscriber: Subscriber): Snapshot {
    this.resume(subscriber);
    return { resource: changesUri(this.#session), state: this.#state, fromSeq: this.#options.sequence.current };
  }

  resume(subscriber: Subscriber): void {
    if (!this.#subscribers.add(subscriber) || this.#letGo) return;
    clearTimeout(this.#ending);
    // It is asked for its changes wherever it is: who only watches must not keep a host from giving it away.
    this.#letGo = this.#sessions.hold(this.#session, true);
    this.#lookIn(0);
  }

  unsubscribe(subscriber: Subscriber): void {
    if (!this.#subscribers.remove(subscriber) || this.#subscribers.list.length > 0) return;
    this.#letGo?.();
    this.#letGo = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#endLater();
  }

  /** Something of the folder has changed: looks again, soon and not too often. */
  changed(): void {
    if (!this.#letGo) return;
    if (this.#isLooking) this.#isChanged = true;
    else this.#lookIn(PAUSE_MS);
  }

  #endLater(): void {
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => {
      this.#onUnused();
      const { publisher, sequence } = this.#options;
      publisher.end(changesUri(this.#session), sequence.next());
    }, KEPT_MS).unref();
  }

  #lookIn(ms: number): void {
    const dueAt = performance.now() + ms;
    if (this.#timer && this.#dueAt <= dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => void this.#look(), ms).unref();
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#isChanged = false;
    const state = await this.#fetch();
    this.#isLooking = false;
    if (!this.#letGo) return;
    if (state && !sameValue(state, this.#state)) this.#publish(state);
    this.#lookIn(this.#isChanged || !state ? PAUSE_MS : RENEW_MS);
  }

  /** Absent when the host of the session could not be asked now. */
  async #fetch(): Promise<ChangesState | undefined> {
    const session = this.#session;
    try {
      return await this.#sessions.work('fetchChanges', { session, watch: true }, READER);
    } catch (error) {
      if (error instanceof RpcError && error.code === ERROR_CODE.tooManyRequests) return undefined;
      const code = error instanceof RpcError ? codeOf(error.data) : undefined;
      return {
        session,
        comparisons: [],
        problem: { ...(code !== undefined && { code }), message: errorMessage(error) },
      };
    }
  }

  #publish(state: ChangesState): void {
    const { publisher, sequence } = this.#options;
    const resource = changesUri(this.#session);
    const action = { type: 'changes/changed', resource, state } as const;
    this.#state = changesReducer(this.#state, action);
    const envelope = { action, serverSeq: sequence.next() };
    publisher.publish({ resource, envelope, subscribers: this.#subscribers.list });
  }
}

function codeOf(data: unknown): string | undefined {
  const code = typeof data === 'object' && data !== null && 'code' in data ? data.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
