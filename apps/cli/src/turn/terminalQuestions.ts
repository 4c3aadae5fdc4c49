import { createInterface, type Interface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const SETTLE_MS = 50;

/**
 * Questions on the terminal, one per line. The terminal is not in raw mode, so that nothing has to be restored when the process
 * ends. Text that was typed before a question is not its answer.
 */
export class TerminalQuestions {
  readonly #lines: Interface;
  #waiting: ((line: string | undefined) => void) | undefined;

  constructor() {
    this.#lines = createInterface({ input: process.stdin, terminal: false });
    this.#lines.on('line', (line) => this.#answer(line));
    this.#lines.on('close', () => this.#answer(undefined));
  }

  /** `undefined` when no answer will come any more, or the signal says that none is needed. */
  async ask(question: string, signal: AbortSignal): Promise<string | undefined> {
    // Earlier input of the terminal arrives now and is dropped: an unintended line must not approve anything.
    await delay(SETTLE_MS);
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      const stop = () => this.#answer(undefined);
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting = (line) => {
        signal.removeEventListener('abort', stop);
        resolve(line);
      };
      process.stderr.write(question);
    });
  }

  close(): void {
    this.#lines.close();
    process.stdin.unref();
  }

  #answer(line: string | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(line);
  }
}
