const INTERVAL_MS = 100;

/** The progress of long work, in one line on standard error that is removed at its end; nothing without a terminal. */
export class Progress {
  readonly #what: string;
  #shownAt = 0;

  constructor(what: string) {
    this.#what = what;
  }

  update(done: number, total: number): void {
    if (!process.stderr.isTTY || Date.now() - this.#shownAt < INTERVAL_MS) return;
    this.#shownAt = Date.now();
    const percent = total > 0 ? ` ${Math.min(Math.floor((done / total) * 100), 100)} %` : '';
    process.stderr.write(`\r\u001b[2K${this.#what} ${done} of ${total}${percent}`);
  }

  end(): void {
    if (this.#shownAt > 0) process.stderr.write('\r\u001b[2K');
    this.#shownAt = 0;
  }
}
