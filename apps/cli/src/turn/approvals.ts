import { ActionRejectedError, type PendingPermission, type SessionHandle } from '@agenthost/client';
import type { Form } from '@agenthost/protocol';
import { askForm } from './askForm.js';
import {
  answerPrompt,
  type Choice,
  cutCall,
  formOf,
  isConfirmation,
  type Prompt,
  promptChoices,
  promptText,
  takesText,
} from './prompt.js';
import type { TerminalQuestions } from './terminalQuestions.js';

/** `leave`: there is no one to ask, so questions stay open for other clients. */
export type ApprovalPolicy = 'ask' | 'all' | 'reads' | 'none' | 'leave';

export interface ApprovalOptions {
  readonly policy: ApprovalPolicy;
  /** Only of this turn: others answer questions of their own turns. */
  readonly turnId: string;
  readonly questions: TerminalQuestions | undefined;
  note(line: string): void;
  /** A question is open that this command will not answer. */
  onLeft(what: string): void;
  onDenied(): void;
  onError(error: unknown): void;
}

/** Answers the questions of a turn: by a rule, or by asking on the terminal. */
export class Approvals {
  readonly #session: SessionHandle;
  readonly #options: ApprovalOptions;
  readonly #seen = new WeakSet<object>();
  readonly #watched;
  #queue: Promise<void> = Promise.resolve();

  constructor(session: SessionHandle, options: ApprovalOptions) {
    this.#session = session;
    this.#options = options;
    const look = () => this.#look();
    this.#watched = [session.pendingConfirmations.subscribe(look), session.pendingPermissions.subscribe(look)];
    this.#look();
  }

  dispose(): void {
    for (const watched of this.#watched) watched.dispose();
  }

  #look(): void {
    for (const prompt of this.#open()) {
      if (this.#seen.has(prompt) || prompt.turnId !== this.#options.turnId) continue;
      this.#seen.add(prompt);
      // One after the other: two questions at once could not be told apart.
      this.#queue = this.#queue.then(() => this.#handle(prompt)).catch((error) => this.#options.onError(error));
    }
  }

  #open(): readonly Prompt[] {
    return [...this.#session.pendingConfirmations.value, ...this.#session.pendingPermissions.value];
  }

  async #handle(prompt: Prompt): Promise<void> {
    const { policy, questions, onLeft } = this.#options;
    const choices = promptChoices(prompt);
    const isQuestion = !isConfirmation(prompt) && prompt.request.kind === 'question';
    if (policy === 'none') return this.#answer(prompt, choices.find(({ approves }) => !approves) ?? NO);
    const isAllowed = policy === 'all' || (policy === 'reads' && isRead(prompt));
    if (isAllowed && !isQuestion) return this.#answer(prompt, choices.find(({ approves }) => approves) ?? YES);
    if (!questions || policy === 'leave') return onLeft(promptText(prompt));
    await this.#ask(prompt, choices, questions);
  }

  async #ask(prompt: Prompt, choices: readonly Choice[], questions: TerminalQuestions): Promise<void> {
    const { note } = this.#options;
    const answered = new AbortController();
    const watch = () => {
      if (!this.#open().includes(prompt)) answered.abort();
    };
    const watched = [
      this.#session.pendingConfirmations.subscribe(watch),
      this.#session.pendingPermissions.subscribe(watch),
    ];
    watch();
    const allowsText = takesText(prompt);
    const keys = choices.map(({ key, label }) => `${key} ${label}`).join(' · ');
    const cut = cutCall(prompt);
    note(`? ${promptText(prompt, cut && (await this.#session.wholeInput(cut)))}`);
    const form = formOf(prompt);
    try {
      if (form && !isConfirmation(prompt)) return await this.#askForm(prompt, form, questions, answered.signal);
      for (;;) {
        const line = await questions.ask(`  ${keys}${allowsText ? ' · or your answer' : ''}: `, answered.signal);
        if (answered.signal.aborted) return note('\n  Answered elsewhere.');
        if (line === undefined) return this.#options.onLeft(promptText(prompt));
        const text = line.trim();
        const chosen = choices.find(({ key }) => key === text.toLowerCase());
        if (chosen) return await this.#answer(prompt, chosen);
        if (allowsText && text !== '') return await this.#answer(prompt, YES, text);
      }
    } finally {
      for (const subscription of watched) subscription.dispose();
    }
  }

  async #askForm(
    prompt: PendingPermission,
    form: Form,
    questions: TerminalQuestions,
    answered: AbortSignal,
  ): Promise<void> {
    const { note, onLeft } = this.#options;
    // A line is shown while it is typed.
    if (form.fields.some(({ kind }) => kind === 'secret')) {
      note('  It asks for a secret. Answer it on the page or with agenthost attach.');
      return onLeft(promptText(prompt));
    }
    const values = await askForm(form, { questions, answered, note });
    if (answered.aborted) return note('\n  Answered elsewhere.');
    if (values === undefined) return onLeft(promptText(prompt));
    if (values === 'skip') return this.#answer(prompt, YES);
    if (values === 'decline') return this.#answer(prompt, NO);
    await this.#sent(prompt.fill(values));
  }

  async #answer(prompt: Prompt, choice: Choice, text?: string): Promise<void> {
    if (!choice.approves) this.#options.onDenied();
    await this.#sent(answerPrompt(prompt, choice, text));
  }

  async #sent(answering: Promise<void>): Promise<void> {
    try {
      await answering;
    } catch (error) {
      // Another client was faster; the first answer counts.
      if (!(error instanceof ActionRejectedError)) throw error;
      this.#options.note(`  Your answer wasn't used: ${error.reason}.`);
    }
  }
}

const YES: Choice = { key: 'y', label: '', approves: true };
const NO: Choice = { key: 'n', label: '', approves: false };

/** Only the agent's own word counts: a guess from a name could approve anything. */
function isRead(prompt: Prompt): boolean {
  return isConfirmation(prompt) && prompt.toolCall.confirmation.readOnly === true;
}
