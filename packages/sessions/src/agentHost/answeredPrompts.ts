import type { Observable } from '@agenthost/client';
import type { Author, SessionState } from '@agenthost/protocol';
import { observable } from '../observable.js';
import type { Chat, Session } from '../session.js';

/** A question that was answered, here or elsewhere. */
export interface AnsweredPrompt {
  /** Of the tool call, or of the request. */
  readonly id: string;
  readonly session: Session;
  readonly chat: Chat;
  readonly kind: 'permission' | 'question';
  readonly title: string;
  /** What would be run, where that was asked. */
  readonly input?: string;
  /** What kind of input that is, as the tool call says it. */
  readonly toolKind?: 'terminal';
  readonly language?: string;
  readonly answer: PromptAnswer;
}

export interface PromptAnswer {
  readonly approved: boolean;
  readonly optionId?: string;
  /** What became of a form. Skipped: the agent decides. */
  readonly form?: 'answered' | 'skipped' | 'declined';
  /** The chosen option in words, what was written or filled in, or the reason of a denial. */
  readonly text?: string;
  readonly by?: Author;
  readonly at: number;
}

type OpenPrompt = Pick<AnsweredPrompt, 'id' | 'kind' | 'title' | 'input' | 'toolKind' | 'language'>;

const MOST = 20;

/** Remembers the newest answers to prompts of the chats that `update` is called for. */
export class AnsweredPrompts {
  readonly #answered = observable<readonly AnsweredPrompt[]>([]);
  /** The newest first. */
  readonly value: Observable<readonly AnsweredPrompt[]> = this.#answered;
  readonly #open = new Map<string, readonly OpenPrompt[]>();

  /** Call it with each state of a chat that waits; returns whether the chat still waits. */
  update(session: Session, chat: Chat, state: SessionState): boolean {
    const before = this.#open.get(chat.resource) ?? [];
    const now = openPrompts(state);
    const ids = new Set(now.map(({ id }) => id));
    const gone = before.filter(({ id }) => !ids.has(id));
    const answered = gone.flatMap((prompt) => {
      const answer = answerTo(state, prompt.id);
      return answer ? [{ ...prompt, session, chat, answer }] : [];
    });
    if (answered.length > 0) this.#answered.set([...answered.toReversed(), ...this.#answered.value].slice(0, MOST));
    if (now.length > 0) this.#open.set(chat.resource, now);
    else this.#open.delete(chat.resource);
    return now.length > 0;
  }

  forget(chat: Chat): void {
    this.#open.delete(chat.resource);
  }
}

function openPrompts({ activeTurn }: SessionState): OpenPrompt[] {
  if (!activeTurn) return [];
  const calls = Object.values(activeTurn.toolCalls).flatMap((call): OpenPrompt[] => {
    if (call.status !== 'pendingConfirmation') return [];
    const title = call.confirmation.title ?? call.invocationMessage;
    const { toolKind, language } = call;
    const shown = { ...(toolKind && { toolKind }), ...(language !== undefined && { language }) };
    const input = call.toolInput === undefined ? {} : { input: call.toolInput, ...shown };
    return [{ id: call.toolCallId, kind: 'permission', title, ...input }];
  });
  const requests = Object.values(activeTurn.pendingPermissions);
  return [...calls, ...requests.map(({ requestId, kind, title }) => ({ id: requestId, kind, title }))];
}

/** `undefined` where the turn ended before an answer. */
function answerTo({ activeTurn, turns }: SessionState, id: string): PromptAnswer | undefined {
  const calls = activeTurn ? Object.values(activeTurn.toolCalls) : [];
  const requests = activeTurn?.answeredPermissions ?? [];
  const last = turns.at(-1);
  const call = [...calls, ...(last?.toolCalls ?? [])].find(({ toolCallId }) => toolCallId === id);
  if (call && call.status !== 'pendingConfirmation' && call.confirmed?.at !== undefined) {
    const { optionId, by, at } = call.confirmed;
    const denied = call.status === 'cancelled' && call.cancelled === 'denied';
    const reason = denied ? call.reason : undefined;
    return { approved: !denied, at, ...optional({ optionId, by, text: reason }) };
  }
  const request = [...requests, ...(last?.answeredPermissions ?? [])].findLast(({ requestId }) => requestId === id);
  if (!request) return undefined;
  const { approved, at, optionId, optionLabel, text, by, form } = request;
  return { approved, at, ...(form && { form }), ...optional({ optionId, by, text: text ?? optionLabel }) };
}

function optional(fields: {
  readonly optionId: string | undefined;
  readonly by: Author | undefined;
  readonly text: string | undefined;
}): Pick<PromptAnswer, 'optionId' | 'by' | 'text'> {
  const { optionId, by, text } = fields;
  return {
    ...(optionId !== undefined && { optionId }),
    ...(by !== undefined && { by }),
    ...(text !== undefined && { text }),
  };
}
