import { createInterface, type Interface } from 'node:readline';

/**
 * Questions on the terminal, a line each. The terminal stays as it is (no raw mode), so that nothing has to be restored
 * however the process ends. What was typed before a question is not its answer.
 */
export class TerminalQuestions {
  readonly #lines: Interface;
  #waiting: ((line: string | undefined) => void) | undefined;

  constructor() {
    this.#lines = createInterface({ input: process.stdin, terminal: false });
    this.#lines.on('line', (line) => this.#answer(line));
    this.#lines.on('close', () => this.#answer(undefined));
  }

  /** `undefined` when nobody will answer any more, or the signal says that nobody needs to. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined> {
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
