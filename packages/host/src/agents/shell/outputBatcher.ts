export interface OutputBatcherOptions {
  emit(output: string): void;
  /** Stops and restarts the source. */
  pause(): void;
  resume(): void;
}

const DELAY_MS = 5;
const MAX_LENGTH = 16_384;
const BREATH_MS = 1;

/**
 * Gathers output for a few milliseconds. A command that floods is paused after each full batch, which makes it wait for the
 * event loop: nobody downstream could push back otherwise, and other sessions want to live.
 */
export class OutputBatcher {
  readonly #options: OutputBatcherOptions;
  #gathered = '';
  #ended = false;
  #flushTimer: NodeJS.Timeout | undefined;
  #breathTimer: NodeJS.Timeout | undefined;

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
    this.#options.pause();
    this.#breathTimer ??= setTimeout(() => {
      this.#breathTimer = undefined;
      this.#options.resume();
    }, BREATH_MS);
    this.flush();
  }

  flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    const gathered = this.#gathered;
    this.#gathered = '';
    if (gathered !== '') this.#options.emit(gathered);
  }

  /** Flushes, and leaves no timer; what comes later is dropped. */
  end(): void {
    this.#ended = true;
    this.flush();
    clearTimeout(this.#breathTimer);
    this.#breathTimer = undefined;
  }
}
