import { CommandError, EXIT } from '../commandError.js';

/** Ctrl+C once cancels, twice leaves; a lost terminal leaves at once. Leaving lets the turn go on. */
export class Interrupts {
  readonly #leaving = new AbortController();
  readonly #handlers: readonly [NodeJS.Signals, () => void][];
  #interrupts = 0;

  constructor(onCancel: () => void) {
    const leave = (exitCode: number) => () =>
      this.#leaving.abort(new CommandError(exitCode, 'The turn goes on without this command.', ''));
    const interrupt = () => {
      if (++this.#interrupts === 1) onCancel();
      else leave(EXIT.interrupted)();
    };
    this.#handlers = [
      ['SIGINT', interrupt],
      ['SIGTERM', leave(EXIT.terminated)],
      ['SIGHUP', leave(EXIT.hungUp)],
    ];
    for (const [signal, handler] of this.#handlers) process.on(signal, handler);
  }

  get leaving(): AbortSignal {
    return this.#leaving.signal;
  }

  leave(reason: CommandError): void {
    this.#leaving.abort(reason);
  }

  dispose(): void {
    for (const [signal, handler] of this.#handlers) process.off(signal, handler);
  }
}
