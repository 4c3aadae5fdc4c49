import type {
  CreateElicitationResponse,
  PermissionOption,
  RequestPermissionRequest,
  SendRequestOptions,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { ActionRejectedError, type PendingPermission, type SessionHandle } from '@agenthost/client';
import { type Form, roleIncludes, type ToolCallState } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import { safeCommand, safeLine } from '../text/safeText.js';
import {
  answerPrompt,
  type Choice,
  cutCall,
  formOf,
  isConfirmation,
  type Prompt,
  promptChoices,
  takesText,
} from '../turn/prompt.js';
import { callOf } from '../turn/turnReader.js';
import type { ThreadContext } from './editorThread.js';
import { asksForSecret, formSchema, formValues } from './formSchema.js';
import { inputContent, kindOf, titleOf } from './toolUpdates.js';

interface Told {
  /** Shows a sentence in the thread. */
  tell(text: string): Promise<void>;
  /** Resolves when the editor has everything that came before. */
  shown(): Promise<void>;
}

const CHOICE_FIELD = 'choice';
const TEXT_FIELD = 'answer';

/**
 * Asks the questions of a session in the editor. The first answer counts, wherever it is given: when it came from elsewhere the
 * editor's question is cancelled, and the thread says so.
 */
export class EditorQuestions {
  readonly #session: SessionHandle;
  readonly #context: ThreadContext;
  readonly #told: Told;
  readonly #open = new Map<Prompt, AbortController>();
  readonly #watched: { dispose(): void }[] = [];

  constructor(session: SessionHandle, context: ThreadContext, told: Told) {
    this.#session = session;
    this.#context = context;
    this.#told = told;
  }

  begin(): void {
    // Without the right to answer, the question is one for others.
    if (!roleIncludes(this.#context.host.role, 'approver')) return;
    const look = () => this.#look();
    this.#watched.push(
      this.#session.pendingConfirmations.subscribe(look),
      this.#session.pendingPermissions.subscribe(look),
    );
    look();
  }

  dispose(): void {
    for (const watched of this.#watched) watched.dispose();
    for (const asking of this.#open.values()) asking.abort();
    this.#open.clear();
  }

  #look(): void {
    const pending: Prompt[] = [...this.#session.pendingConfirmations.value, ...this.#session.pendingPermissions.value];
    for (const [prompt, asking] of this.#open) {
      if (pending.includes(prompt)) continue;
      this.#open.delete(prompt);
      asking.abort();
      const by = this.#answeredBy(prompt);
      if (by) this.#told.tell(`${by} answered: ${titleOfPrompt(prompt)}`).catch(() => {});
    }
    for (const prompt of pending) {
      if (this.#open.has(prompt)) continue;
      const asking = new AbortController();
      this.#open.set(prompt, asking);
      this.#ask(prompt, asking.signal).catch((error) => {
        if (!asking.signal.aborted && !this.#context.gone.aborted)
          this.#context.log(`A question could not be asked: ${errorMessage(error)}`);
      });
    }
  }

  async #ask(prompt: Prompt, signal: AbortSignal): Promise<void> {
    await this.#told.shown();
    if (signal.aborted) return;
    const choices = promptChoices(prompt);
    if (!isConfirmation(prompt)) {
      const form = formOf(prompt);
      const asksText = takesText(prompt);
      const isSecret = form !== undefined && asksForSecret(form);
      if (this.#context.traits.forms && form && !isSecret) return this.#askForm(prompt, form, signal);
      if (this.#context.traits.forms && asksText) return this.#askText(prompt, choices, signal);
      if (form || asksText) {
        const what = isSecret ? 'The agent asks for a secret' : 'The agent asks more than this editor can show';
        await this.#told.tell(`${what}: ${safeLine(prompt.request.title)} ${this.#elsewhere}`);
      }
    }
    await this.#askPermission(prompt, choices, signal);
  }

  async #askPermission(prompt: Prompt, choices: readonly Choice[], signal: AbortSignal): Promise<void> {
    const { client } = this.#context;
    const toolCall = await this.#callOf(prompt);
    const options = choices.map((choice) => permissionOption(prompt, choice));
    const request: RequestPermissionRequest = { sessionId: this.#session.uri, toolCall, options };
    const { outcome } = await client.request('session/request_permission', request, cancelledBy(signal));
    const chosen = outcome.outcome === 'selected' ? choices.find(({ key }) => key === outcome.optionId) : undefined;
    if (chosen) await this.#answered(prompt, answerPrompt(prompt, chosen), signal);
  }

  async #askForm(prompt: PendingPermission, form: Form, signal: AbortSignal): Promise<void> {
    const answer = await this.#elicit(prompt, form, signal);
    if (answer.action === 'decline') return this.#answered(prompt, prompt.answer({ approved: false }), signal);
    if (answer.action !== 'accept') return;
    const content = 'content' in answer ? (answer.content as Parameters<typeof formValues>[1]) : undefined;
    await this.#answered(prompt, prompt.fill(formValues(form, content)), signal);
  }

  /** A question with options, or with a text, as a form of one or two fields. */
  async #askText(prompt: PendingPermission, choices: readonly Choice[], signal: AbortSignal): Promise<void> {
    const options = choices.filter(({ approves }) => approves).map(({ key, label }) => ({ id: key, label }));
    const form: Form = {
      fields: [
        ...(options.length > 0
          ? [{ kind: 'choice' as const, id: CHOICE_FIELD, label: 'Choice', optional: true as const, choices: options }]
          : []),
        { kind: 'text', id: TEXT_FIELD, label: 'Your answer', ...(options.length > 0 && { optional: true }) },
      ],
    };
    const answer = await this.#elicit(prompt, form, signal);
    if (answer.action === 'decline') return this.#answered(prompt, prompt.answer({ approved: false }), signal);
    if (answer.action !== 'accept') return;
    const content = 'content' in answer ? (answer.content as Parameters<typeof formValues>[1]) : undefined;
    const { [TEXT_FIELD]: text = '', [CHOICE_FIELD]: key } = formValues(form, content);
    const chosen = choices.find((choice) => choice.key === key);
    if (text !== '') await this.#answered(prompt, prompt.answer({ approved: true, text: String(text) }), signal);
    else if (chosen) await this.#answered(prompt, answerPrompt(prompt, chosen), signal);
  }

  #elicit({ request }: PendingPermission, form: Form, signal: AbortSignal): Promise<CreateElicitationResponse> {
    const message = [safeLine(request.title), safeCommand(request.message)].filter((part) => part !== '').join('\n\n');
    return this.#context.client.request(
      'elicitation/create',
      {
        mode: 'form',
        sessionId: this.#session.uri,
        ...(request.toolCallId !== undefined && { toolCallId: request.toolCallId }),
        message,
        requestedSchema: formSchema(form),
      },
      cancelledBy(signal),
    );
  }

  /** Waits for the host's word: another client may have been faster. */
  async #answered(prompt: Prompt, answering: Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await answering;
    } catch (error) {
      if (!(error instanceof ActionRejectedError)) throw error;
      await this.#told.tell(`Your answer wasn't used: ${error.reason}.`);
      // Another answer may fit: the question is still open.
      if (!signal.aborted && this.#open.has(prompt)) await this.#ask(prompt, signal);
    }
  }

  async #callOf(prompt: Prompt): Promise<ToolCallUpdate> {
    if (isConfirmation(prompt)) {
      const { toolCall } = prompt;
      const input = cutCall(prompt) ? await this.#session.wholeInput(toolCall) : (toolCall.toolInput ?? '');
      return {
        ...callFields(toolCall),
        title: titleOfPrompt(prompt),
        content: inputContent(input, toolCall.language),
      };
    }
    const { requestId, title, message, toolCallId } = prompt.request;
    const { activeTurn } = this.#session.confirmed.value;
    const call = activeTurn && toolCallId !== undefined ? callOf(activeTurn, toolCallId) : undefined;
    return {
      ...(call ? callFields(call) : { toolCallId: toolCallId ?? requestId, kind: 'other', status: 'pending' }),
      title: safeLine(title),
      content: message === '' ? [] : [{ type: 'content', content: { type: 'text', text: safeCommand(message) } }],
    };
  }

  /** Who was faster than this editor. */
  #answeredBy(prompt: Prompt): string | undefined {
    const { activeTurn, turns } = this.#session.state.value;
    const turn = activeTurn?.id === prompt.turnId ? activeTurn : turns.findLast(({ id }) => id === prompt.turnId);
    if (!turn) return undefined;
    const call = isConfirmation(prompt) ? callOf(turn, prompt.toolCall.toolCallId) : undefined;
    const by = isConfirmation(prompt)
      ? call && 'confirmed' in call && call.confirmed?.by
      : turn.answeredPermissions?.find(({ requestId }) => requestId === prompt.request.requestId)?.by;
    return by && by.clientId !== this.#context.host.clientId ? safeLine(by.name ?? 'Another client') : undefined;
  }

  get #elsewhere(): string {
    return `Answer it on the page (${this.#context.page.origin}) or with agenthost attach.`;
  }
}

/** An editor that does not know the cancellation keeps its question; its answer counts no more. */
function cancelledBy(signal: AbortSignal): SendRequestOptions {
  return { cancellationSignal: signal, stopWaitingOnCancel: true };
}

function titleOfPrompt(prompt: Prompt): string {
  if (!isConfirmation(prompt)) return safeLine(prompt.request.title);
  return safeLine(prompt.toolCall.confirmation.title ?? prompt.toolCall.invocationMessage);
}

function callFields(call: ToolCallState): ToolCallUpdate {
  return { toolCallId: call.toolCallId, title: titleOf(call), kind: kindOf(call), status: 'pending' };
}

function permissionOption(prompt: Prompt, { key, label, approves, optionId }: Choice): PermissionOption {
  const options = isConfirmation(prompt) ? prompt.toolCall.confirmation.options : prompt.request.options;
  const isLasting = key === 's' || options?.find(({ id }) => id === optionId)?.explicit === true;
  const word = approves ? 'allow' : 'reject';
  return { optionId: key, name: label, kind: `${word}_${isLasting ? 'always' : 'once'}` };
}
