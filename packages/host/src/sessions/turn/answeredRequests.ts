const MAX_REMEMBERED = 200;

/** Who answered which request, for telling the one who comes second. The newest ones only. */
export class AnsweredRequests {
  readonly #by = new Map<string, string>();

  add(requestId: string, who: string): void {
    this.#by.set(requestId, who);
    if (this.#by.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#by.keys();
    if (oldest !== undefined) this.#by.delete(oldest);
  }

  by(requestId: string): string | undefined {
    return this.#by.get(requestId);
  }
}
