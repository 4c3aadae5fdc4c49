import { randomUUID } from 'node:crypto';
import {
  type Author,
  type ClientAction,
  ERROR_CODE,
  type FetchPartsResult,
  type FetchTurnsResult,
  INLINE_CONTENT_LIMIT,
  type PermissionResolvedAction,
  type SessionAction,
  type SessionCommand,
  type SessionState,
  type Snapshot,
  sameValue,
  type TurnsRange,
  type URI,
  type UserMessage,
} from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { AgentAction } from '../agents/events/agentEventMapper.js';
import { boundedCommands } from '../agents/events/boundedCommands.js';
import { headAndTail } from '../agents/events/boundedText.js';
import type { Subscriber } from '../state/publisher.js';
import { ProviderFailure } from '../storage/fs/providerFailure.js';
import type { StoredSession } from '../storage/sessionStorage.js';
import type { SessionArtifacts } from './content/sessionArtifacts.js';
import type { SessionContent } from './content/sessionContent.js';
import type { PartsRange } from './history/readParts.js';
import { readTurnsPage } from './history/readTurnsPage.js';
import { Presence } from './presence.js';
import type { SessionOptions } from './sessionOptions.js';
import type { TurnsRoom } from './stateBytes.js';
import { AnsweredRequests } from './turn/answeredRequests.js';
import { ClientActions } from './turn/clientActions.js';
import { decisionIn } from './turn/decisionIn.js';
import { derivedTitle } from './turn/derivedTitle.js';
import { NewestIds } from './turn/newestIds.js';

/** One session's life: what its actions set off, what starts next, who looks on. */
export class Session {
  readonly uri: URI;
  readonly #options: SessionOptions;
  readonly #presence: Presence;
  readonly #clientActions: ClientActions;
  readonly #answered = new AnsweredRequests();
  readonly #steered = new NewestIds();
  /** By a clock that nobody sets. */
  #lastUsed = performance.now();
  #closed = false;
  #isRemoved = false;
  /** The agent has been opened for a session that is new. */
  #isAgentReady = false;
  /** What is told of a failed storage starts nothing: it would fail as well, and that would be told, and so on. */
  #isTellingFailure = false;
  /** What is dispatched right now is what the agent reported. */
  #isFromAgent = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.uri = options.store.uri;
    const tell = (clients: readonly Author[]) => options.store.dispatch({ type: 'session/clientsChanged', clients });
    this.#presence = new Presence(() => options.store.subscribers, tell);
    this.#clientActions = new ClientActions({
      ...options,
      closed: () => (this.#closed ? (this.#isRemoved ? 'removed' : 'unloaded') : undefined),
      answeredBy: (requestId) => this.#answered.answerTo(requestId),
      wasSteered: (id) => this.#steered.has(id),
      onTake: () => {
        this.#lastUsed = performance.now();
        options.run?.flush();
      },
    });
  }

  get state(): SessionState {
    return this.#options.store.state;
  }

  get content(): SessionContent {
    return this.#options.content;
  }

  get artifacts(): SessionArtifacts {
    return this.#options.artifacts;
  }

  /** Its files and its log. */
  get stored(): StoredSession {
    return this.#options.stored;
  }

  /** Resolves when what it keeps beside its log (plan, outputs) is written, as far as it is known by now. */
  filesWritten(): Promise<void> {
    return this.#options.filesWritten();
  }

  /** Which of a client's actions were accepted, the newest of them; rising. */
  acceptedFrom(key: string): readonly number[] {
    return this.#options.store.accepted.recent(key);
  }

  /** About how much of the memory it takes. */
  get bytes(): number {
    return this.#options.store.bytes;
  }

  /** Takes less of the memory from now on, as far as that is possible while it is in use. */
  shrink(): void {
    this.#options.store.shrink();
  }

  /** A time of `performance.now()`. */
  get lastUsed(): number {
    return this.#lastUsed;
  }

  /** Nobody looks, nothing runs, and that for a while. `time` is one of `performance.now()`. */
  isIdleSince(time: number): boolean {
    const { store, run, intake } = this.#options;
    const isBusy = store.state.activeTurn !== undefined || run?.isBusy || intake.isBusy;
    return store.subscribers.length === 0 && !isBusy && this.#lastUsed <= time;
  }

  subscribe(subscriber: Subscriber, room: TurnsRoom): Snapshot {
    this.#joined(subscriber);
    return this.#options.store.subscribe(subscriber, room);
  }

  resume(subscriber: Subscriber): void {
    this.#joined(subscriber);
    this.#options.store.resume(subscriber);
  }

  unsubscribe(subscriber: Subscriber): void {
    this.#lastUsed = performance.now();
    if (this.#options.store.unsubscribe(subscriber) && !this.#closed) this.#presence.changed();
  }

  async fetchTurns(range: TurnsRange): Promise<FetchTurnsResult> {
    this.#lastUsed = performance.now();
    const page = await readTurnsPage(this.state, this.#options.history, range);
    if (!page) throw new RpcError(ERROR_CODE.notFound, `no turn ${range.before} in ${this.uri}`);
    return page;
  }

  async fetchParts(range: PartsRange): Promise<FetchPartsResult> {
    this.#lastUsed = performance.now();
    const page = await this.#options.history.readParts(range);
    if (!page) throw new RpcError(ERROR_CODE.notFound, `no turn ${range.turnId} in ${this.uri}`);
    return page;
  }

  dispatchFromClient(sender: Subscriber, clientSeq: number, action: ClientAction): void {
    this.#clientActions.dispatch(sender, clientSeq, action);
  }

  /** What the agent reported, as an action. A title that a user gave stays (TITLE1). */
  dispatchFromAgent(action: AgentAction): void {
    const isUnwantedTitle = action.type === 'session/titleChanged' && this.state.titleByUser === true;
    if (this.#closed || isUnwantedTitle) return;
    this.#isFromAgent = true;
    this.#options.store.dispatch(action);
    this.#isFromAgent = false;
  }

  /** The agent goes on by itself: what it reports becomes a turn of that id. `false` where there is no room for one. */
  startAgentTurn(turnId: string): boolean {
    const { lifecycle, activeTurn } = this.state;
    if (this.#closed || lifecycle !== 'ready' || activeTurn) return false;
    this.#options.store.dispatch({ type: 'session/turnStarted', turnId, userMessage: { text: '' }, origin: 'agent' });
    return this.state.activeTurn?.id === turnId;
  }

  /** What the agent takes after a `/` now; most say it each time they are started. */
  dispatchCommands(all: readonly SessionCommand[]): void {
    const { customizations = [], commands: before = [] } = this.state;
    const commands = boundedCommands(all);
    if (this.#closed || sameValue(commands, before)) return;
    this.#options.store.dispatch({ type: 'session/customizationsChanged', customizations, commands });
  }

  /** Somebody trusts a folder, which may be this session's. */
  folderTrusted(folder: string): void {
    this.#options.customizations?.folderTrusted(folder);
  }

  /** Opens the agent for a session that was just made, and says how that went. */
  async createAgentSession(): Promise<void> {
    const { store, run, customizations } = this.#options;
    this.#options.metadata.request();
    try {
      if (!run) throw new Error(`no agent for provider ${this.state.summary.provider}`);
      await customizations?.refresh();
      // With something to ask first, the agent is opened when somebody is there to answer: at the first turn.
      if (!this.#closed && !customizations?.mustAsk) await run.open();
      this.#isAgentReady = true;
      if (!this.#closed) store.dispatch({ type: 'session/ready' }, { mustBeStored: true });
    } catch (error) {
      const message = headAndTail(error instanceof Error ? error.message : String(error), INLINE_CONTENT_LIMIT);
      if (!this.#closed)
        store.dispatch({ type: 'session/creationFailed', error: { errorType: 'creationFailed', message } });
    }
  }

  /** After a restart: a turn that was running then has ended with it. */
  recover(): void {
    const { activeTurn, lifecycle } = this.state;
    if (lifecycle === 'creating') void this.createAgentSession();
    else this.#options.metadata.request();
    if (!activeTurn) return;
    const message = 'The host restarted during this turn. What was said so far is kept; send a message to go on.';
    this.#options.store.dispatch({
      type: 'session/error',
      turnId: activeTurn.id,
      error: { errorType: 'interrupted', message },
    });
  }

  /** What an action sets off; called after each change. */
  react(action: SessionAction): void {
    const { run } = this.#options;
    switch (action.type) {
      case 'session/turnStarted':
        if (action.origin === 'agent') return;
        this.#nameAfter(action.userMessage);
        this.#startAgent(action.turnId, action.userMessage);
        return;
      case 'session/ready':
        this.#startNext();
        return;
      case 'session/responsePart':
        // Text is only ever appended to the last part: any other may leave the state (PART7).
        if (!this.#isFromAgent) run?.beginNewPart();
        if (action.part.kind === 'steering') this.#steered.add(action.part.id);
        return;
      case 'session/creationFailed': {
        const [first] = this.state.turns;
        if (first) this.#nameAfter(first.userMessage);
        return;
      }
      case 'session/turnComplete':
        this.#options.metadata.request();
        this.#startNext();
        return;
      case 'session/error':
        this.#options.metadata.request();
        return;
      case 'session/turnCancelled':
        this.#options.metadata.request();
        run?.cancel(action.turnId);
        this.#startNext();
        return;
      case 'session/toolCallConfirmed':
        run?.answer(action.toolCallId, decisionIn(action));
        return;
      case 'session/permissionResolved':
        this.#answerPermission(action);
        return;
      case 'session/modelChanged':
        run?.setModel(action.model);
        return;
      case 'session/customizationToggled':
        this.#options.customizations?.toggled(action.enabled);
        return;
      case 'session/pendingMessageSet':
        if (!this.state.activeTurn) this.#startNext();
        else if (action.kind === 'steering') void this.#steer(action.id, action.userMessage);
        return;
      default:
        return;
    }
  }

  /** Something could not be stored: what runs can't be kept, so it ends; the next message tries again. */
  storageFailed(error: unknown): void {
    const { store, run } = this.#options;
    run?.cancelAll();
    this.#isTellingFailure = true;
    const told = { mustBeStored: false };
    // Nobody opens its agent again before the next start of the host, which would find out by itself.
    if (this.state.lifecycle === 'creating' && this.#isAgentReady) store.dispatch({ type: 'session/ready' }, told);
    const turn = store.state.activeTurn;
    const why = error instanceof Error ? error.message : String(error);
    const advice = ProviderFailure.behind(error) ? '' : ' Make room or mend the disk, then go on.';
    const message = `This session could not be stored (${why}), so the turn was ended.${advice}`;
    if (turn)
      store.dispatch({ type: 'session/error', turnId: turn.id, error: { errorType: 'storage', message } }, told);
    this.#isTellingFailure = false;
  }

  /** Of a session that is removed everybody is told; one that is only unloaded is there again for whoever asks. */
  async close({ isRemoved = false } = {}): Promise<void> {
    this.#closed = true;
    this.#isRemoved = isRemoved;
    this.#presence.dispose();
    this.#options.metadata.dispose();
    await this.#options.run?.dispose();
    await this.#options.intake.settled();
    await this.#options.customizations?.close();
    await this.#options.close();
  }

  /** Ends the connections of everybody who is subscribed, so that they reconnect and subscribe to what is there then. */
  cutOffSubscribers(reason: string): void {
    for (const subscriber of [...this.#options.store.subscribers])
      if (!subscriber.keepsFiles) subscriber.cutOff(reason);
  }

  #joined(subscriber: Subscriber): void {
    this.#lastUsed = performance.now();
    if (!this.#closed) {
      this.#presence.changed();
      this.#lookOnce();
    }
    // It left the memory while other sessions of the same handshake were still loading; nothing more would come from here.
    else if (!this.#isRemoved) subscriber.cutOff('the session was unloaded in this moment');
  }

  /** Not when it is loaded: after a restart many are, for nobody. */
  #lookOnce(): void {
    const { customizations } = this.#options;
    if (customizations && !customizations.isKnown && this.state.lifecycle === 'ready') void customizations.refresh();
  }

  /** A session without a title can't be found again; the agent may give it a better one later. */
  #nameAfter(message: UserMessage): void {
    if (this.state.summary.title !== '') return;
    const title = derivedTitle(message);
    if (title) this.#options.store.dispatch({ type: 'session/titleChanged', title });
  }

  #startAgent(turnId: string, message: UserMessage): void {
    const { run, store } = this.#options;
    if (run) {
      run.start(turnId, message);
      return;
    }
    const error = { errorType: 'noAgent', message: `This host has no agent ${this.state.summary.provider} any more.` };
    store.dispatch({ type: 'session/error', turnId, error });
  }

  /** The message that waits longest, if the session is free. The turn gets the message's id, so that both are one. */
  #startNext(): void {
    const { lifecycle, activeTurn, steeringMessage, queuedMessages } = this.state;
    const next = steeringMessage ?? queuedMessages?.[0];
    if (lifecycle !== 'ready' || activeTurn || !next || this.#isTellingFailure) return;
    const { id, userMessage, by } = next;
    this.#options.store.dispatch({
      type: 'session/turnStarted',
      turnId: id,
      queuedMessageId: id,
      userMessage,
      ...(by && { by }),
    });
  }

  async #steer(id: string, userMessage: UserMessage): Promise<void> {
    const turnId = this.state.activeTurn?.id;
    const by = this.state.steeringMessage?.by;
    if (turnId === undefined) return;
    await this.#options.run?.steer(userMessage, () => {
      if (this.#closed) return;
      // Also when somebody took it back meanwhile: the agent has it, and the turn has to say so.
      const part = { kind: 'steering', id, userMessage, ...(by && { by }) } as const;
      this.#options.store.dispatch({ type: 'session/responsePart', turnId, part }, { mustBeStored: true });
    });
  }

  #answerPermission(action: PermissionResolvedAction): void {
    const who = action.by?.name ?? action.by?.clientId ?? 'the host';
    this.#answered.add(action.requestId, action.by);
    this.#options.customizations?.answer(action.requestId, decisionIn(action));
    this.#options.run?.answer(action.requestId, decisionIn(action));
    // The request is gone from the state; this keeps what was answered where everybody can read it.
    const id = `answer-${randomUUID()}`;
    const said = headAndTail(action.text ?? (action.approved ? 'allowed' : 'denied'), INLINE_CONTENT_LIMIT);
    this.#options.store.dispatch({
      type: 'session/responsePart',
      turnId: action.turnId,
      part: { kind: 'notice', id, text: `${who}: ${said}`, severity: 'info' },
    });
  }
}
