import {
  ActionRejectedError,
  CommandTimeoutError,
  ConnectionLostError,
  type Content,
  type FetchContentOptions,
  type Host,
  type Session as HostSession,
  type Message,
  type Observable,
  type PendingConfirmation,
  type PendingPermission,
  SessionGoneError,
} from '@agenthost/client';
import { DEFAULT_SNAPSHOT_TURNS, REJECTION, type SessionState } from '@agenthost/protocol';
import { NotSupportedError } from '../errors.js';
import { computed, observable, tracked } from '../observable.js';
import type { URI } from '../session.js';

export type ChatPhase =
  | { readonly state: 'opening' }
  | { readonly state: 'open' }
  /** The host has it no more; `state` shows what it was last. */
  | { readonly state: 'gone'; readonly error: SessionGoneError }
  | { readonly state: 'failed'; readonly error: unknown };

export interface OpenChatOptions {
  /** How many of the newest turns to begin with. */
  readonly turns?: number;
}

export interface ChatModelOptions extends OpenChatOptions {
  readonly host: Host;
  readonly uri: URI;
  readonly resource: URI;
}

interface Opened {
  readonly session: HostSession;
  readonly state: Observable<SessionState>;
  readonly confirmed: Observable<SessionState>;
  readonly confirmations: Observable<readonly PendingConfirmation[]>;
  readonly permissions: Observable<readonly PendingPermission[]>;
  readonly gone: Observable<SessionGoneError | undefined>;
}

const NONE: readonly never[] = [];

/**
 * A conversation that somebody looks at: all its state and all that can be done in it. Subscribed from the moment it is
 * made until it is disposed. What changes something waits until it is open, shows at once in `state`, resolves when the host
 * has accepted it and rejects when it has not.
 */
export class ChatModel {
  readonly resource: URI;
  readonly phase: Observable<ChatPhase>;
  /** As it will be when the host accepts what was sent; nothing until it is open. */
  readonly state: Observable<SessionState | undefined>;
  /** The host's word: what is in `state` only is kept here, and sent when there is a connection. */
  readonly confirmed: Observable<SessionState | undefined>;
  readonly confirmations: Observable<readonly PendingConfirmation[]>;
  readonly permissions: Observable<readonly PendingPermission[]>;
  readonly #options: ChatModelOptions;
  readonly #opened = observable<Opened | undefined>(undefined);
  readonly #failure = observable<{ readonly error: unknown } | undefined>(undefined);
  readonly #closing = new AbortController();
  readonly #opening: Promise<HostSession>;

  constructor(options: ChatModelOptions) {
    this.#options = options;
    this.resource = options.resource;
    const of = <T>(read: (opened: Opened) => T, otherwise: T) =>
      computed(() => (this.#opened.value ? read(this.#opened.value) : otherwise));
    this.state = of<SessionState | undefined>(({ state }) => state.value, undefined);
    this.confirmed = of<SessionState | undefined>(({ confirmed }) => confirmed.value, undefined);
    this.confirmations = of(({ confirmations }) => confirmations.value, NONE);
    this.permissions = of(({ permissions }) => permissions.value, NONE);
    this.phase = computed((): ChatPhase => this.#phase(), samePhase);
    this.#opening = this.#open();
    // Whoever asks for something is told; `phase` tells everybody else.
    this.#opening.catch(() => {});
  }

  /** Resolves when its state is here. */
  async opened(): Promise<void> {
    await this.#opening;
  }

  /** Starts a turn; while one runs, the message waits for its end. Resolves with the message's id. */
  async submit(message: Message): Promise<string> {
    const session = await this.#opening;
    const { activeTurn, queuedMessages } = session.state.value;
    if (activeTurn || queuedMessages?.length) return session.queue(message);
    try {
      return await session.send(message);
    } catch (error) {
      // Somebody else was faster; the message must not be lost.
      if (error instanceof ActionRejectedError && error.reason === REJECTION.turnInProgress)
        return session.queue(message);
      throw error;
    }
  }

  /** For the running turn. */
  async steer(message: Message): Promise<string> {
    return (await this.#opening).steer(message);
  }

  async editPending(id: string, message: Message): Promise<void> {
    await (await this.#opening).editPending(id, message);
  }

  async removePending(id: string): Promise<void> {
    await (await this.#opening).removePending(id);
  }

  async reorderQueue(order: readonly string[]): Promise<void> {
    await (await this.#opening).reorderQueue(order);
  }

  /** Stops the running turn. */
  async cancel(): Promise<void> {
    await (await this.#opening).cancel();
  }

  async rename(title: string): Promise<void> {
    await (await this.#opening).rename(title);
  }

  async setModel(modelId: string): Promise<void> {
    await (await this.#opening).setModel(modelId);
  }

  async markRead(isRead = true): Promise<void> {
    await (await this.#opening).markRead(isRead);
  }

  async archive(isArchived = true): Promise<void> {
    await (await this.#opening).archive(isArchived);
  }

  async toggleCustomization(uri: URI, enabled: boolean): Promise<void> {
    await (await this.#opening).toggleCustomization(uri, enabled);
  }

  /** Puts older turns in front of those in `state`; resolves with how many there were. */
  async loadEarlierTurns(limit?: number): Promise<number> {
    return (await this.#opening).loadEarlierTurns(limit);
  }

  /** Forgets old turns but for the newest; `loadEarlierTurns` brings them back. */
  trimTurns(keep: number): void {
    this.#opened.value?.session.trimTurns(keep);
  }

  /** What `state` only refers to: large output, images. */
  fetchContent(uri: URI, options?: FetchContentOptions): Promise<Content> {
    return this.#options.host.fetchContent(uri, options);
  }

  /** What was sent goes on. */
  dispose(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new NotSupportedError(`${this.resource} was closed; open it again to go on`));
    this.#opened.value?.session.dispose();
  }

  #phase(): ChatPhase {
    const failure = this.#failure.value;
    if (failure?.error instanceof SessionGoneError) return { state: 'gone', error: failure.error };
    if (failure) return { state: 'failed', error: failure.error };
    const opened = this.#opened.value;
    const error = opened?.gone.value;
    if (error) return { state: 'gone', error };
    return { state: opened ? 'open' : 'opening' };
  }

  async #open(): Promise<HostSession> {
    try {
      const session = await this.#whenConnected();
      this.#opened.set({
        session,
        state: tracked(session.state),
        confirmed: tracked(session.confirmed),
        confirmations: tracked(session.pendingConfirmations),
        permissions: tracked(session.pendingPermissions),
        gone: tracked(session.gone),
      });
      await this.#fill(session);
      return session;
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#failure.set({ error });
      throw error;
    }
  }

  /** Without a connection it stays on the way: the next one brings it. */
  async #whenConnected(): Promise<HostSession> {
    const { host, uri, turns } = this.#options;
    for (;;) {
      try {
        const session = await host.openSession(uri, turns === undefined ? {} : { turns });
        if (!this.#closing.signal.aborted) return session;
        session.dispose();
      } catch (error) {
        if (!(error instanceof ConnectionLostError) && !(error instanceof CommandTimeoutError)) throw error;
      }
      this.#closing.signal.throwIfAborted();
      await host.connected(this.#closing.signal);
    }
  }

  /** Another handle may have opened it with fewer turns. */
  async #fill(session: HostSession): Promise<void> {
    const { turns = DEFAULT_SNAPSHOT_TURNS } = this.#options;
    const { turns: held, earlierTurns } = session.confirmed.value;
    if (held.length >= turns || earlierTurns === undefined) return;
    await session.loadEarlierTurns(turns - held.length).catch(() => 0);
  }
}

function samePhase(a: ChatPhase, b: ChatPhase): boolean {
  return a.state === b.state && ('error' in a ? a.error : undefined) === ('error' in b ? b.error : undefined);
}
