import { LOGIN_REQUIRED, type SessionAction, type SessionState, type UserMessage } from '@agenthost/protocol';
import {
  findPendingMessage,
  formAnswerOf,
  ownValue,
  type PermissionResolvedAction,
  turnsAwaitingLogin,
} from '@agenthost/protocol/internal';
import { decisionIn } from '../agents/events/pendingAnswers.js';
import { DroppedText } from '../sessionIndex/searchText.js';
import { hasMessage } from './history/foldLog.js';
import { newTurns } from './history/readTurns.js';
import type { Session } from './session.js';
import type { SessionParts } from './sessionParts.js';
import type { SessionServices } from './sessionServices.js';
import type { StoreEffects } from './sessionStore.js';
import type { SummaryNotifier } from './summaryNotifier.js';
import type { ActionIntake } from './turn/actionIntake.js';
import type { AgentRun } from './turn/agentRun.js';
import { type AnswerAction, answerRecord } from './turn/answerRecord.js';
import { derivedTitle } from './turn/derivedTitle.js';
import { permissionNotice } from './turn/permissionNotice.js';

/** Everything that follows a change of a session's state, in order. */
export class SessionEffects implements StoreEffects {
  readonly #session: Session;
  readonly #parts: Pick<SessionParts, 'store' | 'history' | 'workspaceYaml'>;
  readonly #services: Pick<SessionServices, 'index' | 'onChange' | 'onTurnStarted' | 'onAnswer'>;
  readonly #notifier: SummaryNotifier;
  readonly #dropped = new DroppedText();

  constructor(
    session: Session,
    parts: Pick<SessionParts, 'store' | 'history' | 'workspaceYaml'>,
    services: Pick<SessionServices, 'index' | 'onChange' | 'onTurnStarted' | 'onAnswer'>,
    notifier: SummaryNotifier,
  ) {
    this.#session = session;
    this.#parts = parts;
    this.#services = services;
    this.#notifier = notifier;
  }

  /** Called after each change, when the action is in the log's buffer and on its way to the subscribers. */
  afterChange(action: SessionAction, before: SessionState): void {
    const { store, history } = this.#parts;
    const { state } = store;
    this.#dropped.follow(state);
    // A pending message makes a provisional session known, although it does not change the summary.
    if (state.summary !== before.summary || action.type === 'session/pendingMessageSet') this.#summaryChanged(state);
    if (action.type === 'session/truncated') history.turnsRemoved(state);
    else this.#indexTurns(state, before);
    this.#tellChange(before);
    if (action.type === 'session/toolCallConfirmed' || action.type === 'session/permissionResolved')
      this.#tellAnswer(action, before);
    // Before the reaction, which changes the state again: this state is that of the last record.
    history.changed(state, store);
    this.#session.react(action, before);
  }

  lost(): void {
    this.#session.lost();
  }

  /** Called when changes could not be stored: the state is again what clients know. `undone` is the one that it was. */
  afterTakeBack(error: unknown, undone: SessionState): void {
    const { state, uri } = this.#parts.store;
    this.#summaryChanged(state);
    this.#tellChange(undone);
    const kept = turnIds(state);
    for (const turnId of turnIds(undone)) if (!kept.has(turnId)) this.#services.index.forgetTurn(uri, turnId);
    this.#session.storageFailed(error);
  }

  /** Only where a question, or the beginning or end of a turn may be in it: streamed text is most of what happens. */
  #tellChange(before: SessionState): void {
    const { state: after } = this.#parts.store;
    const isAsked = [before, after].some(({ summary }) => summary.status === 'inputNeeded');
    const isSameTurn = before.turns === after.turns && before.activeTurn?.id === after.activeTurn?.id;
    if (!isAsked && isSameTurn) return;
    const { space } = this.#session;
    const isStart = !isAsked && before.turns === after.turns;
    const tell = isStart ? this.#services.onTurnStarted : this.#services.onChange;
    tell?.({ before, after, space, lookers: () => this.#session.lookers });
  }

  #tellAnswer(action: AnswerAction, before: SessionState): void {
    const { onAnswer } = this.#services;
    const answer = onAnswer && answerRecord(action, before);
    if (answer) onAnswer({ ...answer, session: this.#parts.store.uri, space: this.#session.space });
  }

  /** Index, clients' lists, `workspace.yaml`. */
  #summaryChanged(state: SessionState): void {
    const { summary } = state;
    const notifier = this.#notifier;
    if (!notifier.provisional.has(summary.resource)) {
      this.#services.index.put(summary, this.#session.space);
      notifier.changed(summary);
    } else if (hasMessage(state)) {
      notifier.provisional.delete(summary.resource);
      this.#services.index.put(summary, this.#session.space);
      void this.#services.index.flush();
      notifier.added(summary, this.#session.space);
    }
    this.#parts.workspaceYaml.summaryChanged(state);
  }

  #indexTurns({ turns, activeTurn }: SessionState, before: SessionState): void {
    const { index } = this.#services;
    const { uri } = this.#parts.store;
    for (const turn of turns === before.turns ? [] : newTurns(turns, before.turns.at(-1))) {
      // A turn that the end of the host interrupted was indexed when its session was loaded.
      if (this.#dropped.hasAll(turn)) index.putTurn(uri, turn, this.#dropped);
    }
    if (activeTurn && activeTurn.id !== before.activeTurn?.id) index.putTurn(uri, activeTurn, this.#dropped);
  }
}

function turnIds({ turns, activeTurn }: SessionState): Set<string> {
  return new Set([...turns, ...(activeTurn ? [activeTurn] : [])].map(({ id }) => id));
}

interface SessionReactionsOptions {
  readonly parts: SessionParts;
  readonly run: AgentRun | undefined;
  readonly intake: ActionIntake;
  readonly isClosed: () => boolean;
  readonly newId: () => string;
  /** A turn has shown whether the agent is logged in. */
  readonly onLogin: (state: 'ready' | 'needed') => void;
}

/** What follows from an action of a session: a turn, a title, an answer to the agent. */
export class SessionReactions {
  readonly #options: SessionReactionsOptions;
  /** No waiting message becomes a turn: a failure is being told, or another host takes the session. */
  isHeldBack = false;
  /** Messages that the agent has yet to be asked to take into the running turn: the turn, by the message's id. */
  readonly #steering = new Map<string, string>();
  #isSteering = false;

  constructor(options: SessionReactionsOptions) {
    this.#options = options;
  }

  /** Called after each change. `isFromAgent`: the agent reported the action. */
  react(action: SessionAction, before: SessionState, { isFromAgent }: { readonly isFromAgent: boolean }): void {
    const { run, intake, parts } = this.#options;
    switch (action.type) {
      case 'session/turnStarted':
        if (action.origin === 'agent') return;
        this.#nameAfter(action.userMessage);
        this.#startAgent(action.turnId, action.userMessage);
        return;
      case 'session/ready':
        if (!parts.setup.begin()) this.startNext();
        return;
      case 'session/responsePart':
        // Text is only ever appended to the last part: any other may leave the state (PART7).
        if (!isFromAgent) run?.beginNewPart();
        if (action.part.kind === 'steering') intake.rememberSteering(action.part.id);
        return;
      case 'session/creationFailed': {
        const [first] = parts.store.state.turns;
        if (first) this.#nameAfter(first.userMessage);
        return;
      }
      case 'session/turnComplete':
        if (!parts.work.ownTurns.delete(action.turnId)) {
          this.#options.onLogin('ready');
          void parts.snapshots?.afterTurn(action.turnId);
        }
        parts.metadata.request();
        this.startNext();
        parts.work.turnEnded();
        return;
      case 'session/error':
        if (action.error.errorType === LOGIN_REQUIRED) this.#options.onLogin('needed');
        parts.metadata.request();
        // The host was restarted: nobody knows when it happened.
        if (action.error.errorType !== 'interrupted') void parts.snapshots?.afterTurn(action.turnId);
        parts.work.turnEnded();
        return;
      case 'session/turnCancelled':
        parts.metadata.request();
        void parts.snapshots?.afterTurn(action.turnId);
        run?.cancel(action.turnId);
        parts.setup.cancel(action.turnId);
        if (!action.holdQueue) this.startNext();
        parts.work.turnEnded();
        return;
      case 'session/toolCallConfirmed':
        run?.answer(action.toolCallId, decisionIn(action));
        return;
      case 'session/permissionResolved':
        this.#answerPermission(action, before);
        return;
      case 'session/modelChanged':
        run?.setModel(action.model);
        return;
      case 'session/settingChosen':
        if (parts.store.state.settings !== before.settings) run?.setSetting(action.setting, action.value);
        return;
      case 'session/approvalRevoked':
        run?.revokeApproval(action.approvalId);
        return;
      case 'session/customizationToggled':
        parts.customizations?.toggled(action.enabled);
        return;
      case 'session/pendingMessageSet':
        if (!parts.store.state.activeTurn) {
          // An edit of a message that a user holds back does not send it.
          const isHeld = parts.store.state.turns.at(-1)?.holdsQueue === true;
          if (!isHeld || !findPendingMessage(before, action.id)) this.startNext();
        } else if (action.kind === 'steering') this.#toSteer(action.id);
        else this.#steering.delete(action.id);
        return;
      case 'session/pendingMessageRemoved':
        this.#steering.delete(action.id);
        return;
      default:
        return;
    }
  }

  /** Sets a title when there is none, so that the session can be found again. The agent may set a better one later. */
  #nameAfter(message: UserMessage): void {
    if (this.#options.parts.store.state.summary.title !== '') return;
    const title = derivedTitle(message);
    if (title) this.#options.parts.store.dispatch({ type: 'session/titleChanged', title });
  }

  #startAgent(turnId: string, message: UserMessage): void {
    const { store } = this.#options.parts;
    if (this.#options.run) {
      this.#options.run.start(turnId, message);
      return;
    }
    const error = {
      errorType: 'noAgent',
      message: `This host has no agent ${this.#options.parts.store.state.summary.provider} any more.`,
    };
    store.dispatch({ type: 'session/error', turnId, error });
  }

  /** Starts the oldest waiting message when no turn runs. The turn gets the message's id. */
  startNext(): void {
    const { lifecycle, activeTurn, steeringMessage, queuedMessages } = this.#options.parts.store.state;
    const next = steeringMessage ?? queuedMessages?.[0];
    if (lifecycle !== 'ready' || activeTurn || !next || this.isHeldBack) return;
    const { id, userMessage, by } = next;
    this.#options.parts.store.dispatch({
      type: 'session/turnStarted',
      turnId: id,
      queuedMessageId: id,
      userMessage,
      ...(by && { by }),
    });
  }

  /** Sends the messages again whose turns failed last because the agent needed a log-in. The first starts, the others wait. */
  sendAgain(): void {
    const { store } = this.#options.parts;
    const { lifecycle, activeTurn, turns } = store.state;
    if (lifecycle !== 'ready' || activeTurn || this.isHeldBack) return;
    for (const [index, { userMessage, by }] of turnsAwaitingLogin(turns).entries()) {
      const message = { userMessage, ...(by && { by }) };
      const id = this.#options.newId();
      if (index === 0) store.dispatch({ type: 'session/turnStarted', turnId: id, ...message });
      else store.dispatch({ type: 'session/pendingMessageSet', kind: 'queued', id, ...message });
    }
  }

  #toSteer(id: string): void {
    const turnId = this.#options.parts.store.state.activeTurn?.id;
    if (turnId === undefined) return;
    this.#steering.set(id, turnId);
    if (!this.#isSteering) void this.#steerAll();
  }

  /** One after the other: an agent gets them in their order, and an edited one only once. */
  async #steerAll(): Promise<void> {
    this.#isSteering = true;
    try {
      for (let [next] = this.#steering; next; [next] = this.#steering) {
        this.#steering.delete(next[0]);
        await this.#steer(...next);
      }
    } finally {
      this.#isSteering = false;
    }
  }

  async #steer(id: string, turnId: string): Promise<void> {
    const { state } = this.#options.parts.store;
    const message = findPendingMessage(state, id);
    if (!message || state.activeTurn?.id !== turnId) return;
    const { userMessage, by } = message;
    await this.#options.run?.steer(userMessage, () => {
      if (this.#options.isClosed()) return;
      // Also when a client removed it meanwhile: the agent has it, and the turn has to show it.
      const part = { kind: 'steering', id, userMessage, ...(by && { by }) } as const;
      this.#options.parts.store.dispatch({ type: 'session/responsePart', turnId, part }, { mustBeStored: true });
    });
  }

  #answerPermission(action: PermissionResolvedAction, { activeTurn }: SessionState): void {
    const { requestId, turnId } = action;
    const { intake, parts, run } = this.#options;
    // Now: telling others may lead to the next action.
    const { secrets } = intake;
    const request = activeTurn && ownValue(activeTurn.pendingPermissions, requestId);
    const filled = request?.form && formAnswerOf(request.form, { ...action, ...(secrets && { secrets }) });
    intake.rememberAnswer(requestId, action.by);
    parts.setup.answer(requestId, decisionIn(action));
    parts.customizations?.answer(requestId, decisionIn(action));
    const values = filled?.outcome === 'answered' && { values: { ...filled.values, ...filled.secrets } };
    run?.answer(requestId, { ...decisionIn(action), ...values });
    const part = permissionNotice(action, request?.form);
    parts.store.dispatch({ type: 'session/responsePart', turnId, part });
  }
}
