import {
  ActionRejectedError,
  type AppliedEnvelope,
  type ClientActionInput,
  type HostClient,
  SessionGoneError,
  type SessionHandle,
} from '@agenthost/client';
import { REJECTION, type SessionState, type URI } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import type { Disposable, Schedule } from '@agenthost/rpc';
import { translateAction } from '../translate/actions.js';
import { changesetActions, changesetOf, type Reviews, revisionOf, withReviews } from '../translate/changesets.js';
import { intentOf } from '../translate/clientActions.js';
import { cursorOf } from '../translate/state.js';
import { turnOf } from '../translate/turns.js';
import type { ChannelKind } from '../translate/uris.js';
import type { AhpAction, AhpChangeset } from '../types.js';
import { FolderChanges } from './folderChanges.js';
import type { AhpLimits } from './limits.js';

export interface Origin {
  readonly clientSeq: number;
}

/** An action of this client that waits for its answer. */
export interface Echo {
  /** The channel's name as the client wrote it. */
  readonly channel: URI;
  readonly action: AhpAction;
  readonly origin: Origin;
}

export interface SessionLinkOptions {
  readonly session: SessionHandle;
  readonly work: HostClient['work'];
  /** Files that people have marked as reviewed. */
  readonly reviews: () => Reviews;
  /** Marks files of those that the client sees. */
  readonly review: (echo: Echo, shown: Reviews) => void;
  /** The host's id of this client. */
  readonly hostClientId: string;
  /** The number of the last action that was sent to the host. */
  readonly lastSent: () => number;
  readonly models: () => readonly string[];
  readonly emit: (channel: ChannelKind, action: AhpAction, echo?: Echo) => void;
  /** Not for the host: kept while the gateway lives. */
  readonly takeLocal: (channel: ChannelKind, echo: Echo) => void;
  readonly reject: (echo: Echo, reason: string) => void;
  /** Called when the session's model changed. */
  readonly onModel: (model: string) => void;
  readonly onSettings: (settings: SessionState['settings']) => void;
  /** Called when the state changed without actions: the sent envelopes don't lead there. */
  readonly onJump: () => void;
  readonly limits: AhpLimits;
  readonly schedule: Schedule;
}

const PAGE = 200;
const CHAT = { kind: 'chat' } as const;
/** Actions by which a client continues the conversation that it shows. */
const CONTINUES: ReadonlySet<string> = new Set(['chat/turnStarted', 'chat/pendingMessageSet']);
const STALE =
  'Going back to an earlier message is not supported, so nothing was sent. Open the session again to continue.';

/** One session of one AHP client: sends our actions as AHP's, and AHP's as ours. */
export class SessionLink {
  readonly session: SessionHandle;
  readonly #options: SessionLinkOptions;
  readonly #echoes = new Map<number, Echo>();
  readonly #subscriptions: Disposable[];
  /** While the client looks at the changes of the session. */
  folderChanges: FolderChanges | undefined;
  readonly #changesets = new Map<string | undefined, AhpChangeset>();
  /** Live output that waits to be sent, by call. */
  readonly #held = new Map<string, AhpAction>();
  #holding: Disposable | undefined;
  #seen: SessionState;
  #waiting = 0;
  #queue: Promise<unknown> = Promise.resolve();
  /** A refused truncation that the client's window shows nevertheless. */
  #isStale = false;

  constructor(options: SessionLinkOptions) {
    this.#options = options;
    this.session = options.session;
    this.#seen = this.session.confirmed.value;
    this.#subscriptions = [
      this.session.onAction((applied) => this.#applied(applied)),
      this.session.confirmed.subscribe((state) => this.#stateChanged(state)),
    ];
  }

  get state(): SessionState {
    return this.session.confirmed.value;
  }

  /** The client shows the current chat again. */
  reopened(): void {
    this.#isStale = false;
  }

  /** From now on changes of this changeset are sent. */
  watchChangeset(turnId: string | undefined): AhpChangeset {
    const changeset = this.#changesetNow(turnId);
    this.#changesets.set(turnId, changeset);
    return withReviews(changeset, this.#options.reviews());
  }

  unwatchChangeset(turnId: string | undefined): void {
    this.#changesets.delete(turnId);
    if (turnId !== undefined) return;
    this.folderChanges?.dispose();
    this.folderChanges = undefined;
  }

  /** Resolves when git has looked at the folder. */
  async loadChanges(): Promise<void> {
    const { work, schedule, limits } = this.#options;
    this.folderChanges ??= new FolderChanges({
      work,
      session: this.session.uri,
      folder: () => this.state.summary.workingDirectory,
      onChanged: () => this.#updateChangesets(),
      schedule,
      maxWaitMs: limits.changesMs,
    });
    await this.folderChanges.loaded();
  }

  #changesetNow(turnId: string | undefined): AhpChangeset {
    const ofFolder = turnId === undefined ? this.folderChanges?.changeset : undefined;
    return ofFolder ?? changesetOf(this.state, turnId);
  }

  /** So that held output is sent before what comes next. */
  flush(): void {
    this.#holding?.dispose();
    this.#holding = undefined;
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const action of held) this.#options.emit(CHAT, action);
  }

  /** Loads older turns until there are enough or no more. */
  async loadTurns(wanted: number): Promise<void> {
    while (this.state.earlierTurns !== undefined && this.state.turns.length < wanted) {
      const loaded = await this.session.loadEarlierTurns(Math.min(PAGE, wanted - this.state.turns.length));
      if (loaded === 0) return;
    }
  }

  /** Loads another page of older turns and sends it as an action before this resolves. False: the cursor isn't one of this chat. */
  async fetchTurns(cursor: string | undefined): Promise<boolean> {
    const now = cursorOf(this.state);
    // A used cursor is no error: two requests may have crossed.
    const isOld = cursor !== undefined && this.state.turns.some(({ id }) => cursor === `before:${id}`);
    if (cursor !== undefined && cursor !== now) return isOld;
    if (now === undefined) return true;
    const loaded = await this.session.loadEarlierTurns();
    const next = cursorOf(this.state);
    this.flush();
    this.#options.emit(CHAT, {
      type: 'chat/turnsLoaded',
      turns: this.state.turns.slice(0, loaded).map(turnOf),
      ...(next !== undefined && { turnsNextCursor: next }),
    });
    return true;
  }

  /** One after the other: a cancellation must not overtake a turn that waits for its session. */
  dispatch(to: ChannelKind, echo: Echo): void {
    if (to.kind === 'changeset') {
      // Only the changes of the session are reviewed.
      const shown = to.turnId === undefined ? this.#changesets.get(undefined) : undefined;
      this.#options.review(echo, new Map(shown?.files.map((file) => [file.id, revisionOf(file)])));
      return;
    }
    const { kind } = to;
    if (this.#waiting >= this.#options.limits.maxWaitingActions) {
      this.#options.reject(echo, 'too many actions wait for this session already');
      return;
    }
    this.#waiting++;
    this.#queue = this.#queue
      .then(() => this.#send(kind, echo))
      .catch((error: unknown) => this.#options.reject(echo, reasonOf(error)))
      .finally(() => {
        this.#waiting--;
      });
  }

  dispose(): void {
    this.#holding?.dispose();
    this.folderChanges?.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.session.dispose();
  }

  async #send(to: 'session' | 'chat', echo: Echo): Promise<void> {
    const { action } = echo;
    const { reject, takeLocal, models, lastSent } = this.#options;
    if (action.type === 'chat/truncated' && !this.#isLast(action['turnId'])) this.#isStale = true;
    if (this.#isStale && CONTINUES.has(action.type)) return this.#refuseStale(echo);
    if (action.type === 'chat/turnStarted' && this.state.lifecycle === 'creating') await this.session.ready();
    const intent = intentOf(to, action, { state: this.state, models: models() });
    if (intent.kind === 'refuse') return reject(echo, intent.reason);
    if (intent.kind === 'local') return takeLocal({ kind: to }, echo);
    const before = [...intent.actions];
    const own = before.pop() as ClientActionInput;
    // The state shows whether it worked; the client's own action does not depend on it.
    for (const preparing of before) this.session.dispatch(preparing).catch(() => undefined);
    const accepted = this.session.dispatch(own);
    const number = lastSent();
    this.#echoes.set(number, echo);
    // Not awaited: the next action may be sent before this one is answered, as with any client.
    accepted.catch((error: unknown) => {
      if (this.#echoes.delete(number)) reject(echo, reasonOf(error));
    });
  }

  /**
   * VS Code shows no rejection, but an error of the turn that it began itself. It gets one, and then the removal of the turn;
   * for a client that had not begun it, neither means anything.
   */
  #refuseStale(echo: Echo): void {
    const { emit, reject, onJump } = this.#options;
    const { type, turnId } = echo.action;
    const last = this.state.turns.at(-1);
    const isShown = type === 'chat/turnStarted' && typeof turnId === 'string' && last && !this.state.activeTurn;
    const error = { errorType: 'notSupported', message: STALE };
    if (isShown) emit(CHAT, { type: 'chat/error', turnId, duration: 0, part: { kind: 'error', error }, error });
    reject(echo, STALE);
    if (isShown) emit(CHAT, { type: 'chat/truncated', turnId: last.id });
    // A client that was told that turns are gone takes the chat for idle.
    if (isShown && last.state === 'error') onJump();
  }

  /** Nothing comes after this turn. */
  #isLast(turnId: unknown): boolean {
    const { turns, activeTurn } = this.state;
    return !activeTurn && turns.at(-1)?.id === turnId;
  }

  #applied({ envelope, before, after }: AppliedEnvelope<SessionState>): void {
    if (before !== this.#seen) this.#options.onJump();
    this.#seen = after;
    if (!('session' in envelope.action)) return;
    const { model } = after.summary;
    if (model !== undefined && model !== before.summary.model) this.#options.onModel(model);
    if (after.settings !== before.settings) this.#options.onSettings(after.settings);
    const echo = this.#takeEcho(envelope.origin);
    const translated = translateAction(envelope.action, before, after);
    const answeredIn = echo?.action.type.startsWith('session/') ? 'session' : 'chat';
    const answers = echo && translated.find(({ to }) => to === answeredIn);
    // Accepted without a change, or with one that AHP shows elsewhere: the client still waits for an answer.
    if (echo && !answers) this.#emit(answeredIn, echo.action, echo);
    for (const entry of translated) this.#emit(entry.to, entry.action, entry === answers ? echo : undefined);
    this.#updateChangesets();
  }

  #takeEcho(origin: AppliedEnvelope<SessionState>['envelope']['origin']): Echo | undefined {
    if (origin?.clientId !== this.#options.hostClientId) return undefined;
    const echo = this.#echoes.get(origin.clientSeq);
    this.#echoes.delete(origin.clientSeq);
    return echo;
  }

  #emit(to: 'session' | 'chat', action: AhpAction, echo?: Echo): void {
    if (to === 'chat') {
      const call = action['toolCallId'];
      if (action.type === 'chat/toolCallContentChanged' && typeof call === 'string') {
        this.#hold(call, action);
        return;
      }
      // Its result has all of the output, so held output is dropped.
      if (action.type === 'chat/toolCallComplete') this.#held.delete(call as string);
      this.flush();
    }
    this.#options.emit({ kind: to }, action, echo);
  }

  #hold(call: string, action: AhpAction): void {
    this.#held.set(call, action);
    this.#holding ??= this.#options.schedule(() => this.flush(), this.#options.limits.toolOutputMs);
  }

  #updateChangesets(): void {
    const reviews = this.#options.reviews();
    for (const [turnId, before] of this.#changesets) {
      const after = this.#changesetNow(turnId);
      const channel = { kind: 'changeset', ...(turnId !== undefined && { turnId }) } as const;
      for (const action of changesetActions(before, after, reviews)) this.#options.emit(channel, action);
      this.#changesets.set(turnId, after);
    }
  }

  /** Loaded turns leave everything else unchanged; any other change without an action is a new snapshot. */
  #stateChanged(state: SessionState): void {
    const seen = this.#seen;
    if (state === seen) return;
    this.#seen = state;
    if (state.summary !== seen.summary || state.activeTurn !== seen.activeTurn) this.#options.onJump();
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ActionRejectedError) return error.reason;
  if (error instanceof SessionGoneError) return REJECTION.unknownSession;
  return errorMessage(error);
}
