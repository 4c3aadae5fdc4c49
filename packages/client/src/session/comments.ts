import { type NewComment, type ReviewComment, reviewMessage } from '@agenthost/protocol';
import type { SessionHandle } from './sessionHandle.js';

/**
 * The review comments of a session, which all of its clients see. They are in `state.comments` of the session.
 *
 * @example
 * ```ts
 * const comments = new SessionComments(session);
 * await comments.set({ id: crypto.randomUUID(), path: 'a.ts', side: 'new', line: 3, quote: 'let a;', text: 'Use const.' });
 * await comments.send(comments.open.map(({ id }) => id));
 * ```
 */
export class SessionComments {
  readonly #session: SessionHandle;

  constructor(session: SessionHandle) {
    this.#session = session;
  }

  get all(): readonly ReviewComment[] {
    return this.#session.state.value.comments ?? [];
  }

  /** Those that are neither sent nor resolved. */
  get open(): readonly ReviewComment[] {
    return this.all.filter(({ sent, resolved }) => !sent && !resolved);
  }

  /** Adds a comment, or changes one of this client's that was not sent yet. */
  set(comment: NewComment): Promise<void> {
    return this.#session.dispatch({ type: 'session/commentSet', comment });
  }

  remove(commentId: string): Promise<void> {
    return this.#session.dispatch({ type: 'session/commentRemoved', commentId });
  }

  resolve(commentId: string, resolved = true): Promise<void> {
    return this.#session.dispatch({ type: 'session/commentResolved', commentId, resolved });
  }

  /**
   * Sends comments to the agent as one message: a turn starts, or while one runs it waits in the queue. Rejects when somebody has sent,
   * changed or removed one of them in this moment; then none is sent. Resolves with the id of the message.
   */
  async send(ids: readonly string[]): Promise<string> {
    const wanted = this.all.filter(({ id }) => ids.includes(id));
    const id = crypto.randomUUID();
    const userMessage = { text: reviewMessage(wanted) };
    await this.#session.dispatch({ type: 'session/pendingMessageSet', kind: 'queued', id, userMessage, comments: ids });
    return id;
  }
}
