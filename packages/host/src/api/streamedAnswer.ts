import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiAccess } from '../server/apiGate.js';

/** How long the other side may read nothing. */
const READ_MS = 30_000;

/** An answer in pieces. It waits until the other side has read, and is cut off when that takes too long. */
export class StreamedAnswer {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly #access: ApiAccess;
  #wake: (() => void) | undefined;
  #isAwake = false;

  constructor(request: IncomingMessage, response: ServerResponse, access: ApiAccess) {
    this.request = request;
    this.response = response;
    this.#access = access;
    access.hold({
      get heldBytes() {
        return response.writableLength;
      },
      cutOff: () => response.destroy(),
    });
    response.once('close', () => this.wake());
  }

  /** It may take any time from here on. */
  begin(status: number, headers: Readonly<Record<string, string | number>>): void {
    this.#access.stream();
    this.response.writeHead(status, headers);
    this.response.flushHeaders();
  }

  get isOver(): boolean {
    return this.response.destroyed || this.response.closed;
  }

  /** Resolves when there is room for more, or the answer is over. */
  async write(data: string | Uint8Array): Promise<void> {
    if (this.isOver) return;
    if (this.response.write(data)) return;
    this.#access.held();
    if (this.isOver) return;
    const signal = AbortSignal.timeout(READ_MS);
    const ended = new AbortController();
    const close = () => ended.abort();
    this.response.once('close', close);
    try {
      await once(this.response, 'drain', { signal: AbortSignal.any([signal, ended.signal]) });
    } catch {
      this.response.destroy();
    } finally {
      this.response.off('close', close);
    }
  }

  /** Something may have happened. */
  wake(): void {
    this.#isAwake = true;
    this.#wake?.();
  }

  /** Resolves when something may have happened since the last call, or after `ms`. */
  async sleep(ms: number): Promise<void> {
    if (!this.#isAwake && !this.isOver) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, ms);
        timer.unref();
      });
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#isAwake = false;
  }
}
