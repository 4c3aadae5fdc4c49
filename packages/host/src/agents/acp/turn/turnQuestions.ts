import { randomUUID } from 'node:crypto';
import type { CreateElicitationResponse, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { AgentEvent, Decision } from '../../agent.js';
import { type FormQuestion, formQuestion } from '../../events/formQuestion.js';
import { PendingAnswers } from '../../events/pendingAnswers.js';
import { CANCELLED, outcomeOf, standingApproval } from '../permissionOptions.js';
import type { ElicitationFields, PermissionRequestFields } from '../updateSchemas.js';
import type { AcpTurn } from './acpTurn.js';
import type { RefusalReasons } from './refusalReasons.js';

export interface TurnQuestionsOptions {
  readonly agentName: string;
  readonly reasons: RefusalReasons;
  /** The running turn, or one that begins with the question. */
  turn(): AcpTurn | undefined;
  emit(event: AgentEvent): void;
}

/** The questions of one session's agent, from the request until its answer. Each ends with its turn. */
export class TurnQuestions {
  readonly #options: TurnQuestionsOptions;
  readonly #answers = new PendingAnswers();

  constructor(options: TurnQuestionsOptions) {
    this.#options = options;
  }

  answer(requestId: string, decision: Decision): void {
    this.#answers.answer(requestId, decision);
  }

  async permission(request: PermissionRequestFields): Promise<RequestPermissionResponse> {
    const { toolCallId } = request.toolCall;
    const { reasons, emit } = this.#options;
    return this.#inTurn(CANCELLED, async (turn) => {
      try {
        const answered = (requestId: string) => this.#answers.wait(requestId, turn.aborted.signal);
        const { requestId, shown, answer } = turn.calls.ask(request, answered);
        const decision = await answer;
        const { outcome, approved } = outcomeOf(decision, request.options, shown);
        const name = turn.calls.nameOf(toolCallId);
        const lasting = approved ? standingApproval(decision, request, name) : undefined;
        if (lasting) emit({ type: 'approval', approval: lasting });
        if (!approved) reasons.add(name, decision);
        if (approved) await turn.calls.looked(toolCallId);
        if (requestId === toolCallId) turn.calls.answered(toolCallId, approved);
        return outcome;
      } catch {
        turn.calls.answered(toolCallId, false);
        return CANCELLED;
      }
    });
  }

  /** `withdrawn` aborts when the agent no longer waits. */
  async form(
    { mode, message, requestedSchema }: ElicitationFields,
    withdrawn: AbortSignal,
  ): Promise<CreateElicitationResponse> {
    const { agentName } = this.#options;
    return this.#inTurn({ action: 'cancel' }, async (turn) => {
      const question = formQuestion({ agentName, message, schema: mode === 'form' ? requestedSchema : undefined });
      if ('refused' in question) {
        turn.events.emit({ type: 'notice', text: question.refused, severity: 'warning' });
        return { action: 'decline' };
      }
      return this.#askForm(turn, question, withdrawn);
    });
  }

  async #askForm(turn: AcpTurn, question: FormQuestion, withdrawn: AbortSignal): Promise<CreateElicitationResponse> {
    const requestId = randomUUID();
    const answered = this.#answers.wait(requestId, AbortSignal.any([turn.aborted.signal, withdrawn]));
    turn.events.emit({ type: 'permissionRequest', request: { ...question.request, requestId } });
    try {
      const decision = await answered;
      if (decision.approved && !decision.values) this.#options.reasons.skipped(question.request.title);
      return question.result(decision);
    } catch {
      if (!turn.aborted.signal.aborted) turn.events.emit({ type: 'questionWithdrawn', requestId });
      return { action: 'cancel' };
    }
  }

  /** The turn does not end, and its silence does not count, while a question is open. */
  async #inTurn<T>(otherwise: T, ask: (turn: AcpTurn) => Promise<T>): Promise<T> {
    const turn = this.#options.turn();
    if (!turn || turn.aborted.signal.aborted) return otherwise;
    turn.heard();
    turn.asking++;
    try {
      return await ask(turn);
    } finally {
      if (--turn.asking === 0) turn.onAnswered();
      turn.heard();
    }
  }
}
