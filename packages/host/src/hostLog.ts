/** What the host says to whoever runs it. Contract: never a token, never the content of a session. */
export interface HostLog {
  error(message: string, cause?: unknown): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
}

export const silentLog: HostLog = { error() {}, warn() {}, info() {}, debug() {} };

/** Lines on standard error. */
export function consoleLog(options: { readonly debug?: boolean } = {}): HostLog {
  const line = (level: string, message: string) =>
    process.stderr.write(`${new Date().toISOString()} ${level} ${message}\n`);
  return {
    error: (message, cause) =>
      line('error', cause === undefined ? message : `${message}: ${causeText(cause, options.debug)}`),
    warn: (message) => line('warn', message),
    info: (message) => line('info', message),
    debug: (message) => {
      if (options.debug) line('debug', message);
    },
  };
}

function causeText(cause: unknown, withStack: boolean | undefined): string {
  if (!(cause instanceof Error)) return String(cause);
  return withStack && cause.stack ? cause.stack : cause.message;
}
