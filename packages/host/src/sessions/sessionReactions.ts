import { LOGIN_REQUIRED, type SessionAction, type SessionState, type UserMessage } from '@agenthost/protocol';
import { findPendingMessage, type PermissionResolvedAction, turnsAwaitingLogin } from '@agenthost/protocol/internal';
import { decisionIn } from '../agents/events/pendingAnswers.js';
import type { SessionParts } from './sessionParts.js';
import type { ActionIntake } from './turn/actionIntake.js';
import type { AgentRun } from './turn/agentRun.js';
import { derivedTitle } from './turn/derivedTitle.js';
import { permissionNotice } from './turn/permissionNotice.js';

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
        this.startNext();
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
        return;
      case 'session/error':
        if (action.error.errorType === LOGIN_REQUIRED) this.#options.onLogin('needed');
        parts.metadata.request();
        // The host was restarted: nobody knows when it happened.
        if (action.error.errorType !== 'interrupted') void parts.snapshots?.afterTurn(action.turnId);
        return;
      case 'session/turnCancelled':
        parts.metadata.request();
        void parts.snapshots?.afterTurn(action.turnId);
        run?.cancel(action.turnId);
        if (!action.holdQueue) this.startNext();
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
        } else if (action.kind === 'steering') void this.#steer(action.id, action.userMessage);
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

  async #steer(id: string, userMessage: UserMessage): Promise<void> {
    const turnId = this.#options.parts.store.state.activeTurn?.id;
    const by = this.#options.parts.store.state.steeringMessage?.by;
    if (turnId === undefined) return;
    await this.#options.run?.steer(userMessage, () => {
      if (this.#options.isClosed()) return;
      // Also when a client removed it meanwhile: the agent has it, and the turn has to show it.
      const part = { kind: 'steering', id, userMessage, ...(by && { by }) } as const;
      this.#options.parts.store.dispatch({ type: 'session/responsePart', turnId, part }, { mustBeStored: true });
    });
  }

  #answerPermission(action: PermissionResolvedAction): void {
    const { requestId, turnId } = action;
    this.#options.intake.rememberAnswer(requestId, action.by);
    this.#options.parts.customizations?.answer(requestId, decisionIn(action));
    this.#options.run?.answer(requestId, decisionIn(action));
    this.#options.parts.store.dispatch({ type: 'session/responsePart', turnId, part: permissionNotice(action) });
  }
}
