/** The host's log for its operator. Contract: never a token, never the content of a session. */
export interface HostLog {
  error(message: string, cause?: unknown): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
  /** Progress of long work; called often, and a last time when it is done. */
  progress?(progress: LogProgress): void;
}

export interface LogProgress {
  readonly message: string;
  readonly done: number;
  readonly total: number;
}

export const silentLog: HostLog = { error() {}, warn() {}, info() {}, debug() {} };

/** Reports what a listener of an `Emitter` threw as a process warning: it stops neither the other listeners nor the source. */
export function warnOfListenerError(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}

/** How many lines report one long task, when a line can't be overwritten. */
const PROGRESS_LINES = 10;

/**
 * Writes the host's log as lines to standard error.
 *
 * @example
 * ```ts
 * const host = await Host.start({ agents: [new ShellAgent()], log: consoleLog({ debug: true }) });
 * ```
 */
export function consoleLog(
  options: { readonly debug?: boolean; readonly output?: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> } = {},
): HostLog {
  const output = options.output ?? process.stderr;
  let shown = '';
  let told = 0;
  const line = (level: string, message: string) => {
    // The overwritten line continues below.
    const clear = shown === '' ? '' : CLEAR_LINE;
    output.write(`${clear}${new Date().toISOString()} ${level} ${message}\n${shown}`);
  };
  return {
    error: (message, cause) =>
      line('error', cause === undefined ? message : `${message}: ${causeText(cause, options.debug)}`),
    warn: (message) => line('warn', message),
    info: (message) => line('info', message),
    debug: (message) => {
      if (options.debug) line('debug', message);
    },
    progress: ({ message, done, total }) => {
      const text = `${message}: ${done} of ${total}`;
      if (output.isTTY) {
        shown = done < total ? text : '';
        output.write(`${CLEAR_LINE}${shown}`);
        return;
      }
      const step = Math.floor((done / total) * PROGRESS_LINES);
      if (step !== told && done < total) line('info', text);
      told = done < total ? step : 0;
    },
  };
}

const CLEAR_LINE = '\r\x1b[2K';

function causeText(cause: unknown, withStack: boolean | undefined): string {
  if (!(cause instanceof Error)) return String(cause);
  return withStack && cause.stack ? cause.stack : cause.message;
}
