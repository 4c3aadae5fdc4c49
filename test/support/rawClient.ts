import { once } from 'node:events';
import type { ActionEnvelope, Notification, SessionAction, SessionState, Snapshot } from '@agenthost/protocol';
import { type ClientOptions, WebSocket } from 'ws';

/** One frame, as it came. */
export interface RawFrame {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: { readonly envelope?: ActionEnvelope; readonly notification?: Notification };
  readonly result?: unknown;
  readonly error?: RawError;
}

export interface RawError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface RawAddress {
  readonly url: URL;
  readonly token: string;
}

const NEVER_MS = 10_000;

/** JSON-RPC over `ws` and nothing else: for what the SDK hides, repairs or never sends. */
export class RawClient {
  readonly socket: WebSocket;
  /** Everything that came, in order. */
  readonly received: RawFrame[] = [];
  /** The code and the text of the close. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #waiting = new Set<() => void>();
  /** Frames that `next` has given out already. */
  readonly #taken = new Set<RawFrame>();
  #lastId = 0;
  #lastClientSeq = 0;

  static async open({ url, token }: RawAddress, options: ClientOptions = {}): Promise<RawClient> {
    const socket = new WebSocket(socketUrl(url), {
      ...options,
      headers: { authorization: `Bearer ${token}`, ...options.headers },
    });
    const client = new RawClient(socket);
    await once(socket, 'open');
    return client;
  }

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) =>
      socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
    );
    socket.on('error', () => {});
    socket.on('message', (data) => {
      this.received.push(JSON.parse(String(data)) as RawFrame);
      for (const look of [...this.#waiting]) look();
    });
  }

  get envelopes(): ActionEnvelope[] {
    return this.received.flatMap(({ params }) => (params?.envelope ? [params.envelope] : []));
  }

  get notifications(): Notification[] {
    return this.received.flatMap(({ params }) => (params?.notification ? [params.notification] : []));
  }

  /** Takes the first frame that fits out of those that came and that will come. */
  next(fits: (frame: RawFrame) => boolean, what = 'the expected frame'): Promise<RawFrame> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`${what} did not come; the last were ${JSON.stringify(this.received.slice(-5))}`));
      }, NEVER_MS);
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

  async nextEnvelope(fits: (envelope: ActionEnvelope) => boolean, what?: string): Promise<ActionEnvelope> {
    const frame = await this.next(({ params }) => params?.envelope !== undefined && fits(params.envelope), what);
    return frame.params?.envelope as ActionEnvelope;
  }

  /** The next action of that type in that session. */
  async nextAction<T extends SessionAction['type']>(
    session: string,
    type: T,
    fits: (action: Extract<SessionAction, { type: T }>) => boolean = () => true,
  ): Promise<Extract<SessionAction, { type: T }>> {
    type Wanted = Extract<SessionAction, { type: T }>;
    const isWanted = ({ action, rejectionReason }: ActionEnvelope) =>
      action.type === type && (action as Wanted).session === session && !rejectionReason && fits(action as Wanted);
    return (await this.nextEnvelope(isWanted, type)).action as Wanted;
  }

  sendText(text: string): void {
    this.socket.send(text);
  }

  notify(method: string, params: object): void {
    this.sendText(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** The whole answer, whether it is a result or an error. */
  ask(method: string, params?: object): Promise<RawFrame> {
    const id = ++this.#lastId;
    this.sendText(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) }));
    return this.next((frame) => frame.id === id && frame.method === undefined, `the answer to ${method}`);
  }

  async request<T>(method: string, params: object = {}): Promise<T> {
    const { error, result } = await this.ask(method, params);
    if (error) throw new Error(`${method}: ${error.message} (${error.code})`);
    return result as T;
  }

  async refusal(method: string, params: object = {}): Promise<RawError> {
    const { error, result } = await this.ask(method, params);
    if (!error) throw new Error(`${method} was not refused but answered with ${JSON.stringify(result)}`);
    return error;
  }

  /** Sends an action without waiting; gives back its `clientSeq`. */
  dispatch(action: object, clientSeq = this.#lastClientSeq + 1): number {
    this.#lastClientSeq = Math.max(this.#lastClientSeq, clientSeq);
    this.notify('dispatchAction', { clientSeq, action: { at: 1, ...action } });
    return clientSeq;
  }

  echo(clientSeq: number): Promise<ActionEnvelope> {
    return this.nextEnvelope(({ origin }) => origin?.clientSeq === clientSeq && origin.clientId !== undefined);
  }

  /** Sends an action and waits for its echo, accepted or refused. */
  async act(action: object): Promise<ActionEnvelope> {
    return this.echo(this.dispatch(action));
  }

  /** Everything that the host had for this client before now has come when this resolves. */
  async fence(): Promise<void> {
    await this.request('ping');
  }

  async stateOf(resource: string): Promise<SessionState> {
    return (await this.request<Snapshot>('subscribe', { resource })).state as SessionState;
  }

  async end(): Promise<void> {
    if (this.socket.readyState !== WebSocket.CLOSED) this.socket.terminate();
    await this.closed;
  }
}

export function socketUrl(url: URL): string {
  return new URL('/ws', url).href.replace(/^http/, 'ws');
}
