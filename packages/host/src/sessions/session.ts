import {
  type Author,
  type ClientAction,
  ERROR_CODE,
  type SessionAction,
  type SessionState,
  type Snapshot,
  type URI,
} from '@agenthost/protocol';
import {
  DEFAULT_SPACE,
  errorMessage,
  type FetchPartsResult,
  type FetchTurnsResult,
  INLINE_CONTENT_LIMIT,
  type TurnsRange,
} from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import { isLoginRequired } from '../agents/agentLogin.js';
import type { AgentAction } from '../agents/events/agentEventMapper.js';
import { headAndTail } from '../agents/events/boundedText.js';
import type { SessionTools } from '../clientTools/sessionTools.js';
import { type Lookers, lookersAmong, type Subscriber, viewersAmong } from '../state/publisher.js';
import type { StoredSession } from '../storage/sessionStorage.js';
import type { SessionArtifacts } from './content/sessionArtifacts.js';
import type { SessionContent } from './content/sessionContent.js';
import { sessionDirectory } from './folder/sessionCustomizations.js';
import type { PartsRange } from './history/readParts.js';
import { readTurnsPage } from './history/readTurnsPage.js';
import { Presence } from './presence.js';
import { agentCopyRemoval } from './removedSession.js';
import { rewindable } from './rewindSession.js';
import { SessionReactions } from './sessionEffects.js';
import type { SessionParts } from './sessionParts.js';
import type { SessionServices } from './sessionServices.js';
import { SessionTurnSink } from './sessionTurnSink.js';
import type { TurnsRoom } from './stateBytes.js';
import { hasNextMessage, storageError } from './storageError.js';
import type { AcceptedSequences } from './turn/acceptedSequences.js';
import { ActionIntake } from './turn/actionIntake.js';
import { AgentRun } from './turn/agentRun.js';
import { ClientRoutes } from './turn/clientRoutes.js';
import { isLost } from './turn/notStored.js';
import { recoverTurn } from './turn/recoverTurn.js';

/** One session: its life from creation to removal, its turns, and what its actions start. */
export class Session {
  readonly uri: URI;
  /** Called when another host has taken the session. */
  onLost: (() => void) | undefined;
  /** Where several hosts serve it. */
  readonly routes: ClientRoutes | undefined;
  readonly tools: SessionTools;
  readonly content: SessionContent;
  readonly artifacts: SessionArtifacts;
  readonly stored: StoredSession;
  readonly events: SessionParts['events'];
  readonly work: SessionParts['work'];
  readonly deleteAgentCopy: () => Promise<void>;
  readonly #parts: SessionParts;
  readonly #presence: Presence;
  readonly #intake: ActionIntake;
  readonly #run: AgentRun | undefined;
  readonly #reactions: SessionReactions;
  readonly #onLogin: (state: 'ready' | 'needed') => void;
  /** A time of `performance.now()`, which no one can set. */
  #lastUsed = performance.now();
  #closed: 'removed' | 'unloaded' | undefined;
  /** The agent has been opened for a session that is new. */
  #isAgentReady = false;
  /** The action that is dispatched right now is one that the agent reported. */
  #isFromAgent = false;

  constructor(parts: SessionParts, services: SessionServices) {
    const { store, start, stored, agent, pasted, history } = parts;
    const { agents, index, abortGraceMs, agentIdleMs: idleMs, newId, log } = services;
    this.#parts = parts;
    [this.tools, this.work, this.content, this.artifacts] = [parts.tools, parts.work, parts.content, parts.artifacts];
    this.#onLogin = (state) => agents.learnLogin(start.provider, state);
    [this.uri, this.stored, this.events] = [store.uri, stored, parts.events];
    if (stored.isShared) this.routes = new ClientRoutes();
    const tell = (clients: readonly Author[]) => store.dispatch({ type: 'session/clientsChanged', clients });
    this.#presence = new Presence(() => viewersAmong(store.subscribers, this.uri), tell);
    const sink = new SessionTurnSink(this, parts, services);
    this.#run = agent && new AgentRun({ agent, sink, abortGraceMs, idleMs, newId, log });
    this.#intake = new ActionIntake({
      store,
      pasted,
      away: this.awayAt,
      models: () => agents.modelIds(start.provider),
      isTurnIndexed: (turnId) => index.hasTurn(this.uri, turnId),
      isTurnStored: async (turnId, earlierTurns) =>
        (await index.findTurn?.(this.uri, turnId)) ?? history.hasTurn(turnId, earlierTurns),
      giveInput: (toolCallId, input) => this.#run?.input(toolCallId, input),
      closed: () => this.#closed,
      beforeDecision: () => {
        this.#lastUsed = performance.now();
        this.#run?.flush();
      },
      onError: (error) => log.error(`${this.uri}: a client's action failed`, error),
    });
    const own = { session: this, parts, services, run: this.#run };
    parts.work.rewind = rewindable(own);
    this.deleteAgentCopy = agentCopyRemoval(own);
    this.#reactions = new SessionReactions({
      parts,
      run: this.#run,
      intake: this.#intake,
      isClosed: () => this.#closed !== undefined,
      newId,
      onLogin: this.#onLogin,
    });
  }

  readonly directory = () => sessionDirectory(this.state, this.#parts.start);
  /** Whose tokens see it. */
  get space(): string {
    return this.#parts.start.space ?? DEFAULT_SPACE;
  }

  get state(): SessionState {
    return this.#parts.store.state;
  }

  /** Its agent continues a conversation of its own. */
  async adoptNative(nativeSessionId: string | undefined): Promise<SessionState> {
    const { workspaceYaml } = this.#parts;
    workspaceYaml.setNativeSessionId(nativeSessionId);
    if (nativeSessionId !== undefined) await workspaceYaml.settled();
    return this.state;
  }

  /** The name of its machines, when none of them is here: it can only be read. */
  get awayAt(): string | undefined {
    const { place } = this.#parts.stored;
    return place?.isHere === false ? place.name : undefined;
  }

  /** No agent of another host can be at work in its folder (FEN7). */
  get isAlone(): boolean {
    return (this.#parts.stored.freeAt ?? 0) <= performance.now();
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** Resolves when the files beside its log (artifacts, `workspace.yaml`, outputs) are written. */
  async filesWritten(): Promise<void> {
    const { artifacts, workspaceYaml, content } = this.#parts;
    for (const part of [artifacts, workspaceYaml, content]) await part.settled();
  }

  /** The accepted actions of its clients. */
  get accepted(): AcceptedSequences {
    return this.#parts.store.accepted;
  }

  /** A client says that its user looks at it now, or no longer does. */
  looksChanged(): void {
    if (!this.#closed) this.#presence.changed();
  }

  /** Who sees it right now, through any host. */
  get lookers(): Lookers {
    return lookersAmong(this.#parts.store.subscribers, this.uri);
  }

  /** About how much memory it takes, in bytes. */
  get bytes(): number {
    return this.#parts.store.bytes;
  }

  /** Drops ended turns from memory. */
  readonly shrink = (): void => this.#parts.store.shrink();

  get lastUsed(): number {
    return this.#lastUsed;
  }

  /** It has had no subscriber, no turn and no waiting action since `time`, a time of `performance.now()`. */
  isIdleSince(time: number): boolean {
    return this.#parts.store.subscribers.length === 0 && !this.#isBusy && this.#lastUsed <= time;
  }

  get #isBusy(): boolean {
    const isTesting = this.work.tests?.isRunning === true;
    return this.state.activeTurn !== undefined || this.#run?.isBusy === true || this.#intake.isBusy || isTesting;
  }

  /** It can go to another host without an interruption. */
  get isAtRest(): boolean {
    return !this.#isBusy && this.state.lifecycle !== 'creating' && this.isAlone;
  }

  /** Another host takes it when it is at rest: from now on it starts no turn by itself. */
  stopAfterTurn(): void {
    this.#reactions.isHeldBack = true;
  }

  /** Whether a message waits that no failure holds back. */
  get hasNext(): boolean {
    return hasNextMessage(this.state);
  }

  subscribe(subscriber: Subscriber, room: TurnsRoom): Snapshot {
    this.#joined(subscriber);
    return this.#parts.store.subscribe(subscriber, room);
  }

  resume(subscriber: Subscriber): void {
    this.#joined(subscriber);
    this.#parts.store.resume(subscriber);
  }

  unsubscribe(subscriber: Subscriber): void {
    this.#lastUsed = performance.now();
    this.tools.left(subscriber, subscriber.isOpen === false);
    if (this.#parts.store.unsubscribe(subscriber) && !this.#closed) this.#presence.changed();
  }

  /** A copy of the agent's memory of all turns that have ended, if there is one. */
  async forkMemory(): Promise<string | undefined> {
    const last = this.state.turns.at(-1)?.id;
    const copy = await this.#run?.fork();
    const { activeTurn, turns } = this.state;
    return activeTurn || turns.at(-1)?.id !== last ? undefined : copy;
  }

  async fetchTurns(range: TurnsRange): Promise<FetchTurnsResult> {
    return this.#found(await readTurnsPage(this.state, this.#parts.history, range), range.before);
  }

  async fetchParts(range: PartsRange): Promise<FetchPartsResult> {
    return this.#found(await this.#parts.history.readParts(range), range.turnId);
  }

  #found<T>(page: T | undefined, turnId: string | undefined): T {
    this.#lastUsed = performance.now();
    if (page) return page;
    throw new RpcError(ERROR_CODE.notFound, `no turn ${turnId} in ${this.uri}`);
  }

  dispatchFromClient(sender: Subscriber, clientSeq: number, action: ClientAction): void {
    // One of another host was checked there where its route is known.
    if (sender.via === undefined && this.routes?.isNewestHere(sender) === false) {
      sender.cutOff('this client has another connection');
      return;
    }
    this.#intake.dispatch(sender, clientSeq, action);
  }

  /** Dispatches an action that the agent reported. A title that a user set stays (TITLE1). */
  dispatchFromAgent(action: AgentAction): void {
    const isUnwantedTitle = action.type === 'session/titleChanged' && this.state.titleByUser === true;
    if (this.#closed || isUnwantedTitle) return;
    this.#isFromAgent = true;
    this.#parts.store.dispatch(action);
    this.#isFromAgent = false;
  }

  /** A user trusts a folder, which may be the one of this session. */
  folderTrusted(folder: string): void {
    this.#parts.customizations?.folderTrusted(folder);
  }

  /** Opens the agent of a new session. The session is ready after that, or its creation has failed. */
  async createAgentSession(): Promise<void> {
    const { store, metadata, customizations } = this.#parts;
    const run = this.#run;
    metadata.request();
    try {
      if (!run) throw new Error(`no agent for provider ${this.state.summary.provider}`);
      await Promise.all([customizations?.refresh(), this.#parts.setup.find()]);
      // When the user must be asked about trust first, the agent is opened at the first turn: then someone is there to answer.
      if (!this.#closed && !customizations?.mustAsk) await this.#openAgent(run);
      this.#isAgentReady = true;
      if (!this.#closed) store.dispatch({ type: 'session/ready' }, { mustBeStored: true });
    } catch (error) {
      const message = headAndTail(errorMessage(error), INLINE_CONTENT_LIMIT);
      if (!this.#closed)
        store.dispatch({ type: 'session/creationFailed', error: { errorType: 'creationFailed', message } });
    }
  }

  /** Without a log-in the session is ready all the same: its first turn says what is missing, and can be sent again. */
  async #openAgent(run: AgentRun): Promise<void> {
    try {
      await run.open();
    } catch (error) {
      if (!isLoginRequired(error)) throw error;
      this.#onLogin('needed');
    }
  }

  /** A person has logged in to the agent, or out. After a log-in the message that failed without it is sent again. */
  loginChanged(provider: string, isLoggedIn: boolean): void {
    if (provider !== this.state.summary.provider || this.#closed || this.awayAt !== undefined) return;
    this.#run?.renew();
    if (isLoggedIn) this.#reactions.sendAgain();
  }

  /** Called after each load. */
  recover(): void {
    const { activeTurn, lifecycle } = this.state;
    this.work.tests?.recover();
    if (lifecycle === 'creating' && this.awayAt === undefined) void this.createAgentSession();
    else this.#parts.metadata.request();
    if (!activeTurn) {
      if (this.hasNext && this.awayAt === undefined) this.#reactions.startNext();
      return;
    }
    recoverTurn(this.#parts, this.#run, activeTurn);
  }

  /** Starts what follows from an action. `SessionEffects` calls it last after each change. */
  react(action: SessionAction, before: SessionState): void {
    this.#reactions.react(action, before, { isFromAgent: this.#isFromAgent });
  }

  /** Ends the running turn, because what it reports can't be stored. The next message tries again. */
  storageFailed(error: unknown): void {
    const { store } = this.#parts;
    if (isLost(error)) {
      store.lose();
      return;
    }
    this.#run?.cancelAll();
    const wasHeldBack = this.#reactions.isHeldBack;
    this.#reactions.isHeldBack = true;
    const told = { mustBeStored: false };
    // The agent is open already and is not opened again before the host restarts.
    if (this.state.lifecycle === 'creating' && this.#isAgentReady) store.dispatch({ type: 'session/ready' }, told);
    const turn = store.state.activeTurn;
    if (turn) store.dispatch({ type: 'session/error', turnId: turn.id, error: storageError(error) }, told);
    this.#reactions.isHeldBack = wasHeldBack;
  }

  /** Another host has the session: its agent ends here, and this object is unloaded. */
  lost(): void {
    if (this.#closed) return;
    this.#run?.cancelAll();
    this.onLost?.();
  }

  /** `isRemoved`: waiting actions are rejected. A session that is only unloaded is loaded again on demand. */
  async close({ isRemoved = false } = {}): Promise<void> {
    const { metadata, customizations, tempFiles, stored, history } = this.#parts;
    this.#closed = isRemoved ? 'removed' : 'unloaded';
    for (const part of [this.#presence, this.tools, metadata]) part.dispose();
    this.#parts.setup.close();
    await this.#run?.dispose();
    await this.#intake.settled();
    await customizations?.close();
    await this.filesWritten();
    await this.work.close();
    await tempFiles.dispose();
    try {
      await stored.log.close();
    } finally {
      await history.settled();
      await stored.fs.dispose();
    }
  }

  /** Its questions are open no more. */
  tellRemoved(onChange: SessionServices['onChange']): void {
    const { activeTurn: _, ...rest } = this.state;
    const after: SessionState = { ...rest, summary: { ...rest.summary, status: 'idle' } };
    onChange?.({ before: this.state, after, space: this.space, lookers: () => this.lookers });
  }

  /** What was told of it since this host has opened it, for those who go on with it. */
  readonly told = () => this.#parts.store.told;
  /** It goes to another host, where all who look on find it. Gives back its clients here. What was told here is not replayed (FEN5). */
  readonly sendAway = () => this.#parts.store.handOver();

  /** Ends the connections of all subscribers, so that they reconnect and subscribe again. */
  cutOffSubscribers(reason: string): void {
    for (const subscriber of [...this.#parts.store.subscribers]) if (!subscriber.keepsFiles) subscriber.cutOff(reason);
  }

  #joined(subscriber: Subscriber): void {
    this.#lastUsed = performance.now();
    if (!this.#closed) {
      if (!subscriber.authors) this.routes?.bindHere(subscriber);
      this.#presence.changed();
      this.#lookOnce();
    }
    // It was unloaded while other sessions of the same handshake were still loading: this object publishes nothing any more.
    else if (this.#closed === 'unloaded') subscriber.cutOff('the session was unloaded in this moment');
  }

  /** On the first subscribe, not on load: recovery loads many sessions that no client watches. */
  #lookOnce(): void {
    const { customizations } = this.#parts;
    if (customizations && !customizations.isKnown && this.state.lifecycle === 'ready') void customizations.refresh();
  }
}
