import { createHash } from 'node:crypto';
import { type ActionEnvelope, parseSessionUri, type WebhookEvent } from '@agenthost/protocol';

/** Longer texts are cut: a message has to stay small. In code units. */
const MAX_TEXT = 4_000;

interface TurnEvent {
  readonly type: WebhookEvent;
  readonly at: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** Only sent where it was asked for. */
  readonly text?: string | undefined;
}

/** What an entry of a session's log means to a webhook; `undefined` for most. */
export function webhookEventOf({ action }: ActionEnvelope, answer: string): TurnEvent | undefined {
  switch (action.type) {
    case 'session/turnStarted': {
      const { at, turnId, userMessage, origin = 'user' } = action;
      return { type: 'turnStarted', at, data: { turnId, origin }, text: userMessage.text };
    }
    case 'session/turnComplete':
      return { type: 'turnEnded', at: action.at, data: { turnId: action.turnId, outcome: 'complete' }, text: answer };
    case 'session/turnCancelled':
      return { type: 'turnEnded', at: action.at, data: { turnId: action.turnId, outcome: 'cancelled' }, text: answer };
    case 'session/error': {
      const { at, turnId, error } = action;
      return { type: 'turnEnded', at, data: { turnId, outcome: 'error' }, text: error.message };
    }
    case 'session/toolStart': {
      const { at, turnId, toolCall } = action;
      if (toolCall.status !== 'pendingConfirmation') return undefined;
      const { toolCallId, invocationMessage, toolInput, confirmation, displayName } = toolCall;
      const text = `${confirmation.title ?? displayName}\n${toolInput ?? invocationMessage}`;
      return { type: 'needsInput', at, data: { turnId, kind: 'toolCall', toolCallId }, text };
    }
    case 'session/permissionRequest': {
      const { at, turnId, request } = action;
      const { requestId, kind, title, message } = request;
      return { type: 'needsInput', at, data: { turnId, kind, requestId }, text: `${title}\n${message}` };
    }
    case 'session/toolCallConfirmed': {
      const { at, turnId, toolCallId, approved } = action;
      return { type: 'inputGiven', at, data: { turnId, kind: 'toolCall', toolCallId, approved } };
    }
    case 'session/permissionResolved': {
      const { at, turnId, requestId, approved } = action;
      return { type: 'inputGiven', at, data: { turnId, requestId, approved } };
    }
    default:
      return undefined;
  }
}

export interface MessageParts {
  readonly session: string;
  readonly title: string | undefined;
  readonly content: boolean;
}

export function messageBody({ type, at, data, text }: TurnEvent, { session, title, content }: MessageParts): string {
  return JSON.stringify({
    type,
    timestamp: new Date(at).toISOString(),
    data: {
      session,
      ...(title !== undefined && { title: cut(title, 200) }),
      provider: parseSessionUri(session)?.provider,
      ...data,
      ...(content && text !== undefined && text !== '' && { text: cut(text, MAX_TEXT) }),
    },
  });
}

/** The same for each attempt, at any host: receivers tell by it what they have seen. */
export function messageId(webhook: string, session: string, cursor: string): string {
  return `msg_${createHash('sha256').update(`${webhook}\0${session}\0${cursor}`).digest('base64url').slice(0, 27)}`;
}

/** The text of a turn's last part so far, as it is read from the log. */
export class AnswerText {
  #partId: string | undefined;
  text = '';

  take({ action }: ActionEnvelope): void {
    if (action.type === 'session/turnStarted') {
      this.#partId = undefined;
      this.text = '';
    } else if (action.type === 'session/responsePart' && action.part.kind === 'markdown') {
      this.#partId = action.part.id;
      this.text = action.part.content.slice(0, MAX_TEXT + 1);
    } else if (action.type === 'session/delta' && action.partId === this.#partId && this.text.length <= MAX_TEXT)
      this.text += action.content.slice(0, MAX_TEXT + 1);
  }
}

function cut(text: string, length: number): string {
  return text.length <= length ? text.toWellFormed() : `${text.slice(0, length - 1).toWellFormed()}…`;
}
