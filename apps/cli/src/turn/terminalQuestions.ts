import { createInterface, type Interface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const SETTLE_MS = 50;

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
  async ask(question: string, signal: AbortSignal): Promise<string | undefined> {
    // What the terminal has kept from before comes now, and goes: a line that nobody meant must not approve anything.
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
