import {
  ActionRejectedError,
  type AppliedEnvelope,
  type ClientActionInput,
  type Schedule,
  type Session,
  SessionGoneError,
} from '@agenthost/client';
import { REJECTION, type SessionState, type URI } from '@agenthost/protocol';
import type { Disposable } from '@agenthost/rpc';
import { translateAction } from './actions.js';
import { changesetActions, changesetOf } from './changesets.js';
import { intentOf } from './clientActions.js';
import type { AhpLimits } from './limits.js';
import { cursorOf } from './state.js';
import { turnOf } from './turns.js';
import type { AhpAction, AhpChangeset } from './types.js';
import { changesetUri, chatUri } from './uris.js';

export interface Origin {
  readonly clientSeq: number;
}

export interface SessionLinkOptions {
  readonly session: Session;
  /** The id that the host knows this client by. */
  readonly hostClientId: string;
  /** The number under which the last action was sent to the host. */
  readonly lastSent: () => number;
  readonly models: () => readonly string[];
  readonly emit: (channel: URI, action: AhpAction, origin?: Origin) => void;
  readonly reject: (channel: URI, action: AhpAction, origin: Origin, reason: string) => void;
  /** A turn began: whoever made the session has a use for it. */
  readonly onTurn: (state: SessionState) => void;
  /** The state went on without actions: what was sent so far does not lead there. */
  readonly onJump: () => void;
  readonly limits: AhpLimits;
  readonly schedule: Schedule;
}

interface Echo {
  readonly channel: URI;
  readonly action: AhpAction;
  readonly origin: Origin;
}

const PAGE = 200;

/** One session of one AHP client: our actions out as AHP's, and AHP's in as ours. */
export class SessionLink {
  readonly session: Session;
  readonly #options: SessionLinkOptions;
  readonly #chat: URI;
  readonly #echoes = new Map<number, Echo>();
  readonly #subscriptions: Disposable[];
  readonly #changesets = new Map<string | undefined, AhpChangeset>();
  /** Live output that waits to be sent, by call. */
  readonly #held = new Map<string, AhpAction>();
  #holding: Disposable | undefined;
  #seen: SessionState;
  #waiting = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: SessionLinkOptions) {
    this.#options = options;
    this.session = options.session;
    this.#chat = chatUri(this.session.uri);
    this.#seen = this.session.confirmed.value;
    this.#subscriptions = [
      this.session.onAction((applied) => this.#applied(applied)),
      this.session.confirmed.subscribe((state) => this.#stateChanged(state)),
    ];
  }

  get state(): SessionState {
    return this.session.confirmed.value;
  }

  /** From now on changes of this changeset are told. */
  watchChangeset(turnId: string | undefined): AhpChangeset {
    const changeset = changesetOf(this.state, turnId);
    this.#changesets.set(turnId, changeset);
    return changeset;
  }

  unwatchChangeset(turnId: string | undefined): void {
    this.#changesets.delete(turnId);
  }

  /** So that what was held is told before what comes next. */
  flush(): void {
    this.#holding?.dispose();
    this.#holding = undefined;
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const action of held) this.#options.emit(this.#chat, action);
  }

  /** Older turns, until there are so many or no more. */
  async loadTurns(wanted: number): Promise<void> {
    while (this.state.earlierTurns !== undefined && this.state.turns.length < wanted) {
      const loaded = await this.session.loadEarlierTurns(Math.min(PAGE, wanted - this.state.turns.length));
      if (loaded === 0) return;
    }
  }

  /** Another page of older turns, told as an action before this resolves. False: that is no cursor of this chat. */
  async fetchTurns(cursor: string | undefined): Promise<boolean> {
    const now = cursorOf(this.state);
    // One that was used already is no mistake: two requests may have crossed.
    const isOld = cursor !== undefined && this.state.turns.some(({ id }) => cursor === `before:${id}`);
    if (cursor !== undefined && cursor !== now) return isOld;
    if (now === undefined) return true;
    const loaded = await this.session.loadEarlierTurns();
    const next = cursorOf(this.state);
    this.flush();
    this.#options.emit(this.#chat, {
      type: 'chat/turnsLoaded',
      turns: this.state.turns.slice(0, loaded).map((turn) => turnOf(turn, this.session.uri)),
      ...(next !== undefined && { turnsNextCursor: next }),
    });
    return true;
  }

  /** One after the other: a turn that waits for its session must not be overtaken by its own cancellation. */
  dispatch(to: 'session' | 'chat', channel: URI, action: AhpAction, origin: Origin): void {
    if (this.#waiting >= this.#options.limits.maxWaitingActions) {
      this.#options.reject(channel, action, origin, 'too many actions wait for this session already');
      return;
    }
    this.#waiting++;
    this.#queue = this.#queue
      .then(() => this.#send(to, channel, action, origin))
      .catch((error: unknown) => this.#options.reject(channel, action, origin, reasonOf(error)))
      .finally(() => {
        this.#waiting--;
      });
  }

  dispose(): void {
    this.#holding?.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.session.dispose();
  }

  async #send(to: 'session' | 'chat', channel: URI, action: AhpAction, origin: Origin): Promise<void> {
    if (action.type === 'chat/turnStarted' && this.state.lifecycle === 'creating') await this.session.ready();
    const intent = intentOf(to, action, { state: this.state, models: this.#options.models() });
    if (intent.kind === 'refuse') return this.#options.reject(channel, action, origin, intent.reason);
    if (intent.kind === 'local') return this.#options.emit(channel, action, origin);
    const before = [...intent.actions];
    const own = before.pop() as ClientActionInput;
    // Whether it worked is seen in the state; the client's own action does not depend on it.
    for (const preparing of before) this.session.dispatch(preparing).catch(() => undefined);
    const accepted = this.session.dispatch(own);
    const number = this.#options.lastSent();
    this.#echoes.set(number, { channel, action, origin });
    // Not awaited: the next action may go out before this one is answered, as with any client.
    accepted.catch((error: unknown) => {
      if (this.#echoes.delete(number)) this.#options.reject(channel, action, origin, reasonOf(error));
    });
  }

  #applied({ envelope, before, after }: AppliedEnvelope<SessionState>): void {
    if (before !== this.#seen) this.#options.onJump();
    this.#seen = after;
    if (!('session' in envelope.action)) return;
    if (envelope.action.type === 'session/turnStarted') this.#options.onTurn(after);
    const echo = this.#takeEcho(envelope.origin);
    const translated = translateAction(envelope.action, before, after);
    const answers = translated.find(({ to }) => this.#channelOf(to) === echo?.channel);
    // Accepted without a change, or with one that AHP sees elsewhere: the client waits for an answer nevertheless.
    if (echo && !answers) this.#emit(echo.channel, echo.action, echo.origin);
    for (const entry of translated) {
      this.#emit(this.#channelOf(entry.to), entry.action, entry === answers ? echo?.origin : undefined);
    }
    this.#updateChangesets(after);
  }

  #channelOf(to: 'session' | 'chat'): URI {
    return to === 'chat' ? this.#chat : this.session.uri;
  }

  #takeEcho(origin: AppliedEnvelope<SessionState>['envelope']['origin']): Echo | undefined {
    if (origin?.clientId !== this.#options.hostClientId) return undefined;
    const echo = this.#echoes.get(origin.clientSeq);
    this.#echoes.delete(origin.clientSeq);
    return echo;
  }

  #emit(channel: URI, action: AhpAction, origin?: Origin): void {
    if (channel === this.#chat) {
      const call = action['toolCallId'];
      if (action.type === 'chat/toolCallContentChanged' && typeof call === 'string') {
        this.#hold(call, action);
        return;
      }
      // Its result has all of the output, so what is held of it is void.
      if (action.type === 'chat/toolCallComplete') this.#held.delete(call as string);
      this.flush();
    }
    this.#options.emit(channel, action, origin);
  }

  #hold(call: string, action: AhpAction): void {
    this.#held.set(call, action);
    this.#holding ??= this.#options.schedule(() => this.flush(), this.#options.limits.toolOutputMs);
  }

  #updateChangesets(state: SessionState): void {
    for (const [turnId, before] of this.#changesets) {
      const after = changesetOf(state, turnId);
      const channel = changesetUri(this.session.uri, turnId);
      for (const action of changesetActions(before, after)) this.#options.emit(channel, action);
      this.#changesets.set(turnId, after);
    }
  }

  /** Turns that were loaded leave everything else as it was; any other change without an action is a new snapshot. */
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
  return error instanceof Error ? error.message : String(error);
}
