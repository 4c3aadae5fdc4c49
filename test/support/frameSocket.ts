import { WebSocket } from 'ws';

/** What JSON-RPC puts into a frame. */
export interface Frame {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: FrameError;
}

export interface FrameError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const NEVER_MS = 20_000;

/** JSON-RPC over `ws` and nothing else: for what an SDK hides, repairs or never sends. */
export abstract class FrameSocket<F extends Frame> {
  readonly socket: WebSocket;
  /** Everything that came, in order. */
  readonly received: F[] = [];
  /** How long it waits for a frame. */
  patienceMs = NEVER_MS;
  /** The code and the text of the close. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #waiting = new Set<() => void>();
  /** Frames that `next` has given out already. */
  readonly #taken = new Set<F>();
  #lastId = 0;

  protected constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
    socket.on('error', () => {});
    socket.on('message', (data) => {
      this.received.push(JSON.parse(String(data)) as F);
      for (const look of [...this.#waiting]) look();
    });
  }

  /** Takes the first frame that fits out of those that came and that will come. */
  next(fits: (frame: F) => boolean, what = 'the expected frame'): Promise<F> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        const last = JSON.stringify(this.received.slice(-8)).slice(0, 4_000);
        reject(new Error(`${what} did not come; the last were ${last}`));
      }, this.patienceMs);
      const look = () => {
        const frame = this.received.find((candidate) => !this.#taken.has(candidate) && fits(candidate));
        if (!frame) return;
        this.#taken.add(frame);
        this.#waiting.delete(look);
        clearTimeout(timer);
        resolve(frame);
      };
      this.#waiting.add(look);
      look();
    });
  }

  sendText(text: string): void {
    this.socket.send(text);
  }

  notify(method: string, params: object): void {
    this.sendText(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** The whole answer, whether it is a result or an error. */
  ask(method: string, params?: object): Promise<F> {
    const id = ++this.#lastId;
    this.sendText(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) }));
    return this.next((frame) => frame.id === id && frame.method === undefined, `the answer to ${method}`);
  }

  async request<T = F['result']>(method: string, params: object = {}): Promise<T> {
    const { error, result } = await this.ask(method, params);
    if (error) throw new Error(`${method}: ${error.message} (${error.code})`);
    return result as T;
  }

  async refusal(method: string, params: object = {}): Promise<FrameError> {
    const { error, result } = await this.ask(method, params);
    if (!error) throw new Error(`${method} was not refused but answered with ${JSON.stringify(result)}`);
    return error;
  }

  /** Without a goodbye, as when the network is gone. */
  async end(): Promise<void> {
    if (this.socket.readyState !== WebSocket.CLOSED) this.socket.terminate();
    await this.closed;
  }
}
