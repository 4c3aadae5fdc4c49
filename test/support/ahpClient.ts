import { once } from 'node:events';
import { WebSocket } from 'ws';

/** Anything that comes over an AHP connection. */
export interface AhpFrame {
  readonly id?: number;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: what came is looked at field by field
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: what came is looked at field by field
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const NEVER_MS = 20_000;

/** A scripted client of the public Agent Host Protocol: JSON-RPC over `ws`, and no more than what a test tells it to say. */
export class AhpTestClient {
  readonly socket: WebSocket;
  readonly received: AhpFrame[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #waiting = new Set<() => void>();
  readonly #taken = new Set<AhpFrame>();
  #lastId = 0;
  #lastClientSeq = 0;

  static async open(
    url: string,
    options: ConstructorParameters<typeof WebSocket>[1] = undefined,
  ): Promise<AhpTestClient> {
    const client = new AhpTestClient(new WebSocket(url, options));
    await once(client.socket, 'open');
    return client;
  }

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
    socket.on('error', () => {});
    socket.on('message', (data) => {
      this.received.push(JSON.parse(String(data)) as AhpFrame);
      for (const look of [...this.#waiting]) look();
    });
  }

  /** The first frame that fits and that nobody has taken, of those that came or will come. */
  next(fits: (frame: AhpFrame) => boolean, what = 'the expected frame'): Promise<AhpFrame> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const frame = this.received.find((candidate) => !this.#taken.has(candidate) && fits(candidate));
        if (!frame) return;
        this.#taken.add(frame);
        this.#waiting.delete(look);
        clearTimeout(timer);
        resolve(frame);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        const last = JSON.stringify(this.received.slice(-8)).slice(0, 4_000);
        reject(new Error(`${what} did not come; the last were ${last}`));
      }, NEVER_MS);
      this.#waiting.add(look);
      look();
    });
  }

  /** The next action of that type that was accepted, as its envelope. */
  // biome-ignore lint/suspicious/noExplicitAny: what came is looked at field by field
  async action(type: string, fits: (envelope: any) => boolean = () => true): Promise<any> {
    const frame = await this.next(
      ({ method, params }) =>
        method === 'action' && params.action.type === type && !params.rejectionReason && fits(params),
      type,
    );
    return frame.params;
  }

  // biome-ignore lint/suspicious/noExplicitAny: what came is looked at field by field
  async notification(method: string, fits: (params: any) => boolean = () => true): Promise<any> {
    return (await this.next((frame) => frame.method === method && fits(frame.params), method)).params;
  }

  ask(method: string, params?: object): Promise<AhpFrame> {
    const id = ++this.#lastId;
    this.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
    return this.next((frame) => frame.id === id && frame.method === undefined, `the answer to ${method}`);
  }

  // biome-ignore lint/suspicious/noExplicitAny: what came is looked at field by field
  async request(method: string, params: object = {}): Promise<any> {
    const { error, result } = await this.ask(method, params);
    if (error) throw new Error(`${method}: ${error.message} (${error.code})`);
    return result;
  }

  async refusal(method: string, params: object = {}): Promise<NonNullable<AhpFrame['error']>> {
    const { error, result } = await this.ask(method, params);
    if (!error) throw new Error(`${method} was not refused but answered with ${JSON.stringify(result)}`);
    return error;
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  dispatch(channel: string, action: object, clientSeq = ++this.#lastClientSeq): number {
    this.send({ jsonrpc: '2.0', method: 'dispatchAction', params: { channel, clientSeq, action } });
    return clientSeq;
  }

  /** Dispatches and waits for the answer, accepted or refused. */
  // biome-ignore lint/suspicious/noExplicitAny: what came is looked at field by field
  async act(channel: string, action: object): Promise<any> {
    const clientSeq = this.dispatch(channel, action);
    const isAnswer = ({ method, params }: AhpFrame) => method === 'action' && params.origin?.clientSeq === clientSeq;
    return (await this.next(isAnswer, `the answer to ${JSON.stringify(action)}`)).params;
  }

  initialize(
    clientId: string,
    protocolVersions: readonly string[],
    subscriptions: readonly string[] = ['ahp-root://'],
  ) {
    return this.request('initialize', {
      channel: 'ahp-root://',
      protocolVersions,
      clientId,
      clientInfo: { name: clientId },
      initialSubscriptions: subscriptions,
    });
  }

  /** Without a goodbye, as when the network is gone. */
  async cut(): Promise<void> {
    if (this.socket.readyState !== WebSocket.CLOSED) this.socket.terminate();
    await this.closed;
  }
}
