import { type HostLog, silentLog } from '@agenthost/host';

/** Keeps what goes wrong as the host tells it, and tells when a certain thing does. */
export class HeardLog implements HostLog {
  readonly messages: string[] = [];
  readonly #waiting: { readonly pattern: RegExp; readonly resolve: (message: string) => void }[] = [];
  readonly info = silentLog.info;
  readonly debug = silentLog.debug;

  error(message: string): void {
    this.#hear(message);
  }

  warn(message: string): void {
    this.#hear(message);
  }

  heard(pattern: RegExp): Promise<string> {
    const found = this.messages.find((message) => pattern.test(message));
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve) => this.#waiting.push({ pattern, resolve }));
  }

  #hear(message: string): void {
    this.messages.push(message);
    for (const { pattern, resolve } of this.#waiting) if (pattern.test(message)) resolve(message);
  }
}
