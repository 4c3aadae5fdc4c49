export interface OutputBatcherOptions {
  emit(output: string): void;
  /** Stops and restarts the source. */
  pause(): void;
  resume(): void;
  /** Whether the process still runs. */
  isAlive(): boolean;
}

const DELAY_MS = 5;
const MAX_LENGTH = 16_384;
const BREATH_MS = 1;
/** node-pty destroys a terminal 200 ms after its process has ended, with all unread output. */
const LOOK_MS = 25;

/**
 * Gathers output for a few milliseconds. A command that floods is paused after each full batch, so that it waits for the event
 * loop: otherwise nothing downstream could slow it down, and other sessions would starve.
 */
export class OutputBatcher {
  readonly #options: OutputBatcherOptions;
  #gathered = '';
  #ended = false;
  #flushTimer: NodeJS.Timeout | undefined;
  #breathTimer: NodeJS.Timeout | undefined;
  /** Set while the source is paused. */
  #lookTimer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: OutputBatcherOptions) {
    this.#options = options;
  }

  push(output: string): void {
    if (this.#ended) return;
    this.#gathered += output;
    if (this.#gathered.length < MAX_LENGTH) {
      this.#flushTimer ??= setTimeout(() => this.flush(), DELAY_MS);
      return;
    }
    if (!this.#isOver) this.#breathe();
    this.flush();
  }

  /** Pauses the source until it is released or its process has ended: the rest is then small, and would be lost. */
  hold(): void {
    if (this.#ended || this.#isOver || this.#lookTimer) return;
    this.#options.pause();
    this.#lookTimer = setInterval(() => {
      if (this.#options.isAlive()) return;
      this.#isOver = true;
      this.release();
    }, LOOK_MS);
  }

  release(): void {
    if (!this.#lookTimer) return;
    clearInterval(this.#lookTimer);
    this.#lookTimer = undefined;
    if (!this.#breathTimer) this.#options.resume();
  }

  flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    const gathered = this.#gathered;
    this.#gathered = '';
    if (gathered !== '') this.#options.emit(gathered);
  }

  /** Flushes and leaves no timer; later output is dropped. */
  end(): void {
    this.#ended = true;
    this.flush();
    clearTimeout(this.#breathTimer);
    clearInterval(this.#lookTimer);
    this.#breathTimer = undefined;
    this.#lookTimer = undefined;
  }

  #breathe(): void {
    this.#options.pause();
    this.#breathTimer ??= setTimeout(() => {
      this.#breathTimer = undefined;
      if (!this.#lookTimer) this.#options.resume();
    }, BREATH_MS);
  }
}
