/** Bytes of answers that are encoded in one turn of the event loop. */
const BYTES_A_TURN = 1024 * 1024;

interface Waiting {
  readonly bytes: number;
  readonly go: () => void;
}

/** Spreads large answers over turns of the event loop, so that other clients are served in between. */
export class AnswerPace {
  #waiting: Waiting[] = [];
  #isScheduled = false;

  /** Resolves when an answer of about this size may be encoded. */
  turn(bytes: number): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ bytes, go });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#letGo();
    });
  }

  #letGo(): void {
    let room = BYTES_A_TURN;
    const stay = this.#waiting.findIndex(({ bytes }, at) => {
      room -= bytes;
      return room < 0 && at > 0;
    });
    for (const { go } of this.#waiting.splice(0, stay < 0 ? this.#waiting.length : stay)) go();
    if (this.#waiting.length > 0) this.#schedule();
  }
}
