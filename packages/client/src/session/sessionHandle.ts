import {
  type ActiveTurn,
  type Artifact,
  type ArtifactTimes,
  type ClientAction,
  type ListArtifactsResult,
  MAX_SNAPSHOT_TURNS,
  type SessionState,
  type ToolCallState,
  type Turn,
  type URI,
  type UserMessage,
} from '@agenthost/protocol';
import {
  findPendingMessage,
  heldFrom,
  isActionKnownToVersion,
  type PendingMessageKind,
  withNewestTurns,
} from '@agenthost/protocol/internal';
import type { Disposable } from '@agenthost/rpc';
import type { CommandChannel, CommandOptions } from '../connection/commandChannel.js';
import type { Connection } from '../connection/connection.js';
import {
  CapabilityMissingError,
  ClientClosedError,
  LimitReachedError,
  rejected,
  type SessionGoneError,
} from '../errors.js';
import type { Observable } from '../observable.js';
import type { Interruption, SharedSession } from '../sync/sharedSessions.js';
import type { StateSync } from '../sync/stateSync.js';
import type { AppliedEnvelope } from '../sync/subscription.js';
import { prependTurns } from '../sync/turnsWindow.js';
import type { SessionTerminals } from '../terminals/sessionTerminals.js';
import {
  type EachArtifactOptions,
  eachArtifact,
  fetchPlan,
  type ListArtifactsOptions,
  observeArtifactTimes,
} from './artifacts.js';
import type { ClientToolServer, ToolDefinition } from './clientTools.js';
import { type Content, type FetchContentOptions, fetchContent, wholeMessage } from './content.js';
import {
  type EarlierSteps,
  type EarlierStepsOptions,
  fetchSteps,
  type HistoryOptions,
  sessionHistory,
  turnPieces,
  wholeTurn,
} from './history.js';
import {
  type PendingConfirmation,
  type PendingPermission,
  pendingConfirmations,
  pendingPermissions,
} from './prompts.js';
import type { ClientActionInput, Message, ToolCallInput } from './sessionInput.js';
import { whenReady } from './whenReady.js';

export interface SessionContext {
  readonly connection: Connection;
  readonly commands: CommandChannel;
  readonly sync: StateSync;
  readonly tools: ClientToolServer;
  readonly maxPendingActions: number;
  readonly terminals: SessionTerminals;
}

const DEFAULT_PAGE = 50;

/**
 * A handle on one session. Several handles on the same one share a subscription; each must be disposed. Methods that
 * change something apply it to `state` at once, resolve when the host has accepted it, and reject when it did not.
 *
 * @example
 * ```ts
 * const session = await host.openSession('shell:/5b7f9a0e');
 * const rendering = session.state.subscribe((state) => console.log(state.turns.length));
 * await session.send('npm test');
 * await session.pendingConfirmations.value[0]?.approve();
 * rendering.dispose();
 * session.dispose();
 * ```
 */
export class SessionHandle {
  readonly uri: URI;
  /** As it will be when the host accepts what was sent. */
  readonly state: Observable<SessionState>;
  /** As the host has confirmed it. */
  readonly confirmed: Observable<SessionState>;
  /** Set when the host has the session no more; the states stay as they were last. */
  readonly gone: Observable<SessionGoneError | undefined>;
  /**
   * Set while the host has the session but can't load it, because its storage fails, say. The states stay as they were last,
   * what is sent waits, and the host is asked again until it can, or until the session is gone.
   */
  readonly interrupted: Observable<Interruption | undefined>;
  readonly pendingConfirmations: Observable<readonly PendingConfirmation[]>;
  readonly pendingPermissions: Observable<readonly PendingPermission[]>;
  /** When something of each kind of artifact was stored last; read an artifact again when its time changes. */
  readonly artifactTimes: Observable<ArtifactTimes>;
  /** Terminals in its folder that its clients share. */
  readonly terminals: SessionTerminals;
  readonly #shared: SharedSession;
  readonly #context: SessionContext;
  readonly #closing = new AbortController();
  #loading: Promise<unknown> = Promise.resolve();

  /** @internal `HostClient` makes one. */
  constructor(shared: SharedSession, context: SessionContext) {
    this.#shared = shared;
    this.#context = context;
    this.terminals = context.terminals;
    const { subscription, gone, interrupted } = shared;
    this.uri = subscription.resource;
    this.state = subscription.state;
    this.confirmed = subscription.confirmed;
    this.gone = gone;
    this.interrupted = interrupted;
    this.artifactTimes = observeArtifactTimes(this.confirmed);
    const dispatch = (action: ClientActionInput) => this.dispatch(action);
    this.pendingConfirmations = pendingConfirmations(this.state, dispatch);
    this.pendingPermissions = pendingPermissions(this.state, dispatch);
  }

  /** Resolves when the agent runs; rejects with a SessionCreationError when it did not start. */
  async ready(signal?: AbortSignal): Promise<void> {
    this.#throwIfOver();
    const signals = [this.#closing.signal, ...(signal ? [signal] : [])];
    await whenReady(this, this.#context.connection, signals);
  }

  /** Starts a turn; resolves with its id. While the session is being created it waits until it is ready. */
  async send(message: Message, turnId: string = crypto.randomUUID()): Promise<string> {
    if (this.confirmed.value.lifecycle === 'creating') await this.ready();
    await this.dispatch({ type: 'session/turnStarted', turnId, userMessage: userMessage(message) });
    return turnId;
  }

  /** For after the running turn; resolves with the message's id, which its turn will have too. */
  queue(message: Message, id: string = crypto.randomUUID()): Promise<string> {
    return this.#setPending('queued', id, message);
  }

  /** For the running turn; resolves with the message's id. */
  steer(message: Message, id: string = crypto.randomUUID()): Promise<string> {
    return this.#setPending('steering', id, message);
  }

  async editPending(id: string, message: Message): Promise<void> {
    const kind = this.#pendingKind(id);
    if (kind === undefined) throw rejected('unknownPendingMessage', 'session/pendingMessageSet');
    await this.#setPending(kind, id, message);
  }

  async removePending(id: string): Promise<void> {
    const type = 'session/pendingMessageRemoved';
    const kind = this.#pendingKind(id);
    if (kind === undefined) throw rejected('unknownPendingMessage', type);
    await this.dispatch({ type, kind, id });
  }

  reorderQueue(order: readonly string[]): Promise<void> {
    return this.dispatch({ type: 'session/queuedMessagesReordered', order });
  }

  /**
   * Cancels the running turn. With `holdQueue` the messages that wait are not sent until `resumeQueue`, or until another message
   * is sent; a host that does not know this sends the next one at once.
   */
  async cancel({ holdQueue = false }: { readonly holdQueue?: boolean } = {}): Promise<void> {
    const type = 'session/turnCancelled';
    const turnId = this.state.value.activeTurn?.id;
    if (turnId === undefined) throw rejected('noActiveTurn', type);
    await this.dispatch({ type, turnId, ...(holdQueue && { holdQueue }) });
  }

  /** Starts the first message that waits; the others follow as usual. */
  async resumeQueue(): Promise<void> {
    const { steeringMessage, queuedMessages } = this.state.value;
    const next = steeringMessage ?? queuedMessages?.[0];
    const type = 'session/turnStarted';
    if (!next) throw rejected('unknownPendingMessage', type);
    const { id, userMessage } = next;
    await this.dispatch({ type, turnId: id, queuedMessageId: id, userMessage });
  }

  rename(title: string): Promise<void> {
    return this.dispatch({ type: 'session/titleChanged', title });
  }

  setModel(model: string): Promise<void> {
    return this.dispatch({ type: 'session/modelChanged', model });
  }

  /**
   * Chooses a value of one of `state.settings`, such as the agent's mode. Resolves when the host has accepted it; when the agent
   * refuses it later, the setting goes back and says why in `problem`.
   */
  chooseSetting(setting: string, value: string): Promise<void> {
    return this.dispatch({ type: 'session/settingChosen', setting, value });
  }

  /**
   * Types into a running call that has `takesInput`: a line (or several), Ctrl+D, or Ctrl+C, which interrupts the program and, unlike
   * `cancel`, not the turn. Rejects when the call has ended or has not read what was typed before. Nobody keeps the text: all clients
   * see in `lastInput` that something was typed, and by whom.
   *
   * @example
   * ```ts
   * const calls = Object.values(session.state.value.activeTurn?.toolCalls ?? {});
   * const call = calls.find(({ status, takesInput }) => status === 'running' && takesInput);
   * if (call) await session.sendInput(call.toolCallId, { kind: 'line', text: 'yes' });
   * ```
   */
  sendInput(toolCallId: string, input: ToolCallInput): Promise<void> {
    const turnId = this.state.value.activeTurn?.id ?? '-';
    return this.dispatch({ type: 'session/toolInput', turnId, toolCallId, ...input });
  }

  markRead(isRead = true): Promise<void> {
    return this.dispatch({ type: 'session/isReadChanged', isRead });
  }

  archive(isArchived = true): Promise<void> {
    return this.dispatch({ type: 'session/isArchivedChanged', isArchived });
  }

  toggleCustomization(uri: URI, enabled: boolean): Promise<void> {
    return this.dispatch({ type: 'session/customizationToggled', uri, enabled });
  }

  /** Ends one of the state's `approvals`: the agent asks again. Only for one with `isRevocable`; the agent keeps the others. */
  revokeApproval(approvalId: string): Promise<void> {
    return this.dispatch({ type: 'session/approvalRevoked', approvalId });
  }

  /**
   * Calls the listener with every action that the host orders from now on, once and in order, with the confirmed state before
   * and after it. For programs that translate actions instead of showing states. After a lost connection the state may have gone on
   * without one.
   */
  onAction(listener: (applied: AppliedEnvelope<SessionState>) => void): Disposable {
    return this.#shared.subscription.applied.event(listener);
  }

  async dispatch(input: ClientActionInput): Promise<void> {
    const { connection, sync, maxPendingActions } = this.#context;
    this.#throwIfOver();
    const version = connection.protocolVersion;
    if (!isActionKnownToVersion(input, version)) throw new CapabilityMissingError(`action ${input.type}`, version);
    if (this.#shared.subscription.pendingCount >= maxPendingActions) {
      throw new LimitReachedError(`${maxPendingActions} actions of ${this.uri} wait for the host already`);
    }
    const action = { ...input, session: this.uri, at: Date.now() } as ClientAction;
    await sync.dispatch(this.#shared, action);
  }

  /**
   * Offers tools of this program to the session's agent, until they or the handle are disposed of. Resolves when the host has accepted
   * them; the agent gets them with its next turn. After a lost connection they are offered again. Names are unique in a session.
   *
   * @example
   * ```ts
   * const tools = await session.registerTools([
   *   { name: 'open_file', description: 'Opens a file in the editor.', handler: async ({ path }) => `Opened ${String(path)}.` },
   * ]);
   * tools.dispose();
   * ```
   */
  async registerTools(tools: readonly ToolDefinition[]): Promise<Disposable> {
    this.#throwIfOver();
    const offered = await this.#context.tools.add(this, tools);
    this.#closing.signal.addEventListener('abort', () => offered.dispose(), { once: true });
    if (this.#closing.signal.aborted) offered.dispose();
    return offered;
  }

  /** A message of this session as it was sent: the state only refers to what is large. To show all of it, or to edit it. */
  wholeMessage(message: UserMessage, options: CommandOptions = {}): Promise<UserMessage> {
    return wholeMessage(this.#context.commands, message, options);
  }

  /** All of what a tool call was given: the state only refers to what is large. To show it to the person who approves it. */
  async wholeInput({ toolInput, toolInputRef }: ToolCallState, options: CommandOptions = {}): Promise<string> {
    if (!toolInputRef) return toolInput ?? '';
    return (await fetchContent(this.#context.commands, toolInputRef.uri, options)).text();
  }

  /** Turns that are older than those of `state`, newest first, fetched page by page and not kept. */
  history(options: HistoryOptions = {}): AsyncGenerator<Turn, void, undefined> {
    const oldest = () => this.confirmed.value.turns[0]?.id;
    return sessionHistory(this.#context.commands, this.uri, oldest, options);
  }

  /** A page of the parts of a turn before those that `state` has, with their tool calls, oldest first. */
  async earlierSteps(turn: ActiveTurn | Turn, options: EarlierStepsOptions = {}): Promise<EarlierSteps> {
    return fetchSteps(this.#context.commands, this.uri, turn.id, { before: heldFrom(turn), ...options });
  }

  /**
   * A turn that has ended with all of its parts, oldest first and in pieces: each is the turn with some of its parts, and counts
   * those before them in `earlierParts`. No more than a piece is held.
   */
  turnPieces(turn: Turn, options: CommandOptions = {}): AsyncGenerator<Turn, void, undefined> {
    return turnPieces(this.#context.commands, this.uri, turn, options);
  }

  /** The same in one piece. */
  async wholeTurn(turn: Turn, options: CommandOptions = {}): Promise<Turn> {
    return wholeTurn(this.turnPieces(turn, options));
  }

  /** A page of what the session keeps beside its conversation; `artifacts` walks through all pages. */
  async listArtifacts({ signal, timeoutMs, ...params }: ListArtifactsOptions = {}): Promise<ListArtifactsResult> {
    const session = this.uri;
    return this.#context.commands.request('listArtifacts', { session, ...params }, { signal, timeoutMs });
  }

  artifacts(options: EachArtifactOptions = {}): AsyncGenerator<Artifact, void, undefined> {
    return eachArtifact(this.#context.commands, this.uri, options);
  }

  /** The whole of it, or a range. */
  async readArtifact({ uri }: Pick<Artifact, 'uri'>, options: FetchContentOptions = {}): Promise<Content> {
    return fetchContent(this.#context.commands, uri, options);
  }

  /** The agent's plan in markdown; `undefined` when it has none. */
  async plan(options: CommandOptions = {}): Promise<string | undefined> {
    return fetchPlan(this.#context.commands, this.uri, options);
  }

  /** Puts up to `limit` older turns in front of `state.turns`; resolves with how many. */
  async loadEarlierTurns(limit = DEFAULT_PAGE): Promise<number> {
    // One after the other: two at once would fetch the same page.
    const loading = this.#loading.then(() => this.#loadEarlierTurns(limit));
    this.#loading = loading.catch(() => undefined);
    return loading;
  }

  /** Drops old turns from `state` but for the newest; `history` and `loadEarlierTurns` can bring them back. */
  trimTurns(keep: number): void {
    this.#shared.subscription.updateConfirmed((state) => withNewestTurns(state, keep));
  }

  /** Pending sends continue after dispose; the handle can't be used any more. */
  dispose(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new ClientClosedError(`the handle of ${this.uri}`));
    this.#context.sync.sessions.release(this.#shared);
  }

  /** The same as `dispose`. */
  close(): void {
    this.dispose();
  }

  async #loadEarlierTurns(limit: number): Promise<number> {
    this.#throwIfOver();
    const { turns, earlierTurns } = this.confirmed.value;
    if (earlierTurns === undefined) return 0;
    const before = turns[0]?.id;
    const range = { limit: Math.min(limit, MAX_SNAPSHOT_TURNS), ...(before !== undefined && { before }) };
    const page = await this.#context.commands.request('fetchTurns', { session: this.uri, range });
    const held = this.confirmed.value.turns.length;
    this.#shared.subscription.updateConfirmed((state) => prependTurns(state, before, page));
    return this.confirmed.value.turns.length - held;
  }

  async #setPending(kind: PendingMessageKind, id: string, message: Message): Promise<string> {
    await this.dispatch({ type: 'session/pendingMessageSet', kind, id, userMessage: userMessage(message) });
    return id;
  }

  #pendingKind(id: string): PendingMessageKind | undefined {
    const state = this.state.value;
    if (findPendingMessage(state, id) === undefined) return undefined;
    return state.steeringMessage?.id === id ? 'steering' : 'queued';
  }

  #throwIfOver(): void {
    this.#closing.signal.throwIfAborted();
    const connection = this.#context.connection.state.value;
    if (connection.state === 'closed') throw connection.reason;
    if (this.gone.value) throw this.gone.value;
  }
}

function userMessage(message: Message): UserMessage {
  return typeof message === 'string' ? { text: message } : message;
}
