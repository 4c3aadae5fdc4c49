import { once } from 'node:events';
import type { Snapshot } from '@agenthost/protocol';
import { WebSocket } from 'ws';
import { type RawAddress, socketUrl } from '../../support/rawClient.js';

const ENDS = /"type":"(session\/(?:turnComplete|turnCancelled|error))","turnId":"([^"]*)"/;

/**
 * A client that drives turns and reads all that comes of them, but parses only the answers to its requests: the host and this
 * process share the machine, and a flood must be the host's work alone.
 */
export class FloodReader {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (frame: { readonly result?: unknown; readonly error?: object }) => void>();
  readonly #ends = new Map<string, (type: string) => void>();
  #lastId = 0;
  #lastClientSeq = 0;
  /** Of everything that has come. */
  bytes = 0;
  /** The answer to `initialize`. */
  greeting: unknown;

  static async open(
    { url, token }: RawAddress,
    clientId: string,
    initialSubscriptions: readonly string[] = [],
  ): Promise<FloodReader> {
    const socket = new WebSocket(socketUrl(url), { headers: { authorization: `Bearer ${token}` } });
    const reader = new FloodReader(socket);
    await once(socket, 'open');
    reader.greeting = await reader.request('initialize', { protocolVersion: 2, clientId, initialSubscriptions });
    return reader;
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('message', (data) => this.#receive(data as Buffer));
  }

  async request<T>(method: string, params: object): Promise<T> {
    const id = ++this.#lastId;
    const answered = new Promise<{ readonly result?: unknown; readonly error?: object }>((resolve) =>
      this.#answers.set(id, resolve),
    );
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const { result, error } = await answered;
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as T;
  }

  notify(method: string, params: object): void {
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** A session, followed and ready. */
  async newSession(provider = 'mock'): Promise<string> {
    const session = `${provider}:/${crypto.randomUUID()}`;
    await this.request('createSession', { session });
    for (let isReady = false; !isReady; ) {
      const { state } = await this.request<Snapshot>('subscribe', { resource: session });
      isReady = 'lifecycle' in state && state.lifecycle === 'ready';
    }
    return session;
  }

  /** Runs a turn to its end; gives the type of the action that ended it. */
  async run(session: string, text: string): Promise<string> {
    const turnId = crypto.randomUUID();
    const ended = new Promise<string>((resolve) => this.#ends.set(turnId, resolve));
    const action = { type: 'session/turnStarted', session, at: 1, turnId, userMessage: { text } };
    this.notify('dispatchAction', { clientSeq: ++this.#lastClientSeq, action });
    return ended;
  }

  async end(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    this.#socket.terminate();
    await once(this.#socket, 'close');
  }

  #receive(data: Buffer): void {
    this.bytes += data.length;
    if (data.includes('"jsonrpc":"2.0","id":')) {
      const frame = JSON.parse(data.toString()) as { readonly id: number; readonly result?: unknown };
      this.#answers.get(frame.id)?.(frame);
      this.#answers.delete(frame.id);
      return;
    }
    const [, type = '', turnId = ''] = ENDS.exec(data.toString('latin1', 0, 300)) ?? [];
    this.#ends.get(turnId)?.(type);
    this.#ends.delete(turnId);
  }
}
