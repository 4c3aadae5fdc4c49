/** Whether a database answers, as all statements of this host see it. */
export class Reach {
  #unanswered = 0;
  /** Since when statements wait, or fail for want of an answer, without one that was answered. */
  #since: number | undefined;

  /** For how long nothing was answered, although something was asked. */
  get awayMs(): number {
    return this.#since === undefined ? 0 : performance.now() - this.#since;
  }

  asked(): void {
    this.#unanswered++;
    this.#since ??= performance.now();
  }

  /** Also with an error, if it is the server's. */
  answered(): void {
    this.#unanswered--;
    this.#since = this.#unanswered > 0 ? performance.now() : undefined;
  }

  failed(): void {
    this.#unanswered--;
  }
}
