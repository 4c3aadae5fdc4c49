import type { Author } from '@agenthost/protocol';

const MAX_REMEMBERED = 200;

/** Who answered which request, for telling the one who comes second. The newest ones only. */
export class AnsweredRequests {
  readonly #answers = new Map<string, { readonly by?: Author }>();

  add(requestId: string, by: Author | undefined): void {
    this.#answers.set(requestId, by ? { by } : {});
    if (this.#answers.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined) this.#answers.delete(oldest);
  }

  /** Without `by`, the host itself answered it. */
  answerTo(requestId: string): { readonly by?: Author } | undefined {
    return this.#answers.get(requestId);
  }
}
