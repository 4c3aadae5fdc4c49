import { type ActionEnvelope, type ClientAction, type Commands, PROTOCOL_VERSION } from '@agenthost/protocol';
import type { ActionParams } from '@agenthost/protocol/internal';
import { ConnectionClosedError, createMemoryTransportPair, RpcPeer, type Transport } from '@agenthost/rpc';
import type { Credential } from '../connection/credential.js';
import { noAnswer } from './problem.js';

/** Shorter than the time in which an answer has to be read. */
const COMMAND_MS = 45_000;
const NOTHING: ReadonlySet<string | undefined> = new Set();

/** As a program inside the host connects: `Host.attach`. */
export type Attach = (transport: Transport, credential: Credential) => void;

type Sent<T> = T extends unknown ? Omit<T, 'at' | 'by'> : never;

/** A client of the host for the time of one request: the host's own rules decide what it may do. */
export class InProcessClient {
  readonly #peer: RpcPeer;
  readonly #clientId: string;
  readonly #waiting = new Map<number, (envelope: ActionEnvelope) => void>();
  readonly #onNews: (() => void) | undefined;
  /** The types of the actions that came since the last look; `undefined` for what is no action. */
  readonly #news = new Set<string | undefined>();
  #wake: (() => void) | undefined;

  /** `onNews` is called for all that the host tells. With a `clientId` that was used before, actions that were accepted then are not applied again. */
  static async open(
    attach: Attach,
    credential: Credential,
    clientId: string,
    onNews?: () => void,
    name = 'HTTP API',
  ): Promise<InProcessClient> {
    const { a, b } = createMemoryTransportPair();
    const client = new InProcessClient(a, clientId, onNews);
    attach(b, credential);
    try {
      await client.#request('initialize', {
        protocolVersion: PROTOCOL_VERSION,
        clientId,
        clientInfo: { name },
        // It shows no list.
        watch: { limit: 1 },
      });
      // Nobody sees what a program reads: people are still told.
      client.#peer.request('lookAt', {}).catch(() => {});
      return client;
    } catch (error) {
      client.dispose();
      throw error;
    }
  }

  private constructor(transport: Transport, clientId: string, onNews?: () => void) {
    this.#clientId = clientId;
    this.#onNews = onNews;
    const unlimited = Number.POSITIVE_INFINITY;
    this.#peer = new RpcPeer(transport, {
      maxFrameBytes: unlimited,
      maxValues: unlimited,
      requestTimeoutMs: COMMAND_MS,
    });
    this.#peer.onNotification('action', {
      parse: (params) => (params as ActionParams).envelope,
      handle: (envelope) => this.#receive(envelope),
    });
    this.#peer.onNotification('notification', { parse: () => undefined, handle: () => this.#tell() });
    // Whoever waits asks next, and learns that it is over.
    this.#peer.onClose(() => this.#tell());
  }

  get clientId(): string {
    return this.#clientId;
  }

  onClose(listener: () => void): void {
    this.#peer.onClose(listener);
  }

  request<M extends keyof Commands>(method: M, params: Commands[M]['params']): Promise<Commands[M]['result']> {
    return this.#request(method, params);
  }

  /** Resolves with the host's answer, which may be a refusal. */
  async dispatch(clientSeq: number, action: Sent<ClientAction>): Promise<ActionEnvelope> {
    const { promise, resolve, reject } = Promise.withResolvers<ActionEnvelope>();
    const timer = setTimeout(() => reject(noAnswer()), COMMAND_MS).unref();
    const closed = this.#peer.onClose((reason) => reject(new ConnectionClosedError(reason)));
    this.#waiting.set(clientSeq, resolve);
    try {
      this.#peer.notify('dispatchAction', { clientSeq, action: { ...action, at: Date.now() } });
      return await promise;
    } finally {
      clearTimeout(timer);
      closed.dispose();
      this.#waiting.delete(clientSeq);
    }
  }

  /**
   * Resolves with true when the host has told something since the last call, or with false after `ms`. Actions of the types in
   * `ignored` are no news.
   */
  async news(ms: number, ignored: ReadonlySet<string | undefined> = NOTHING): Promise<boolean> {
    if (this.#isQuiet(ignored)) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          if (this.#isQuiet(ignored)) return;
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = undefined;
    const isNew = !this.#isQuiet(ignored);
    this.#news.clear();
    return isNew;
  }

  dispose(): void {
    this.#peer.close();
  }

  async #request<M extends keyof Commands>(method: M, params: Commands[M]['params']): Promise<Commands[M]['result']> {
    return (await this.#peer.request(method, params)) as Commands[M]['result'];
  }

  #isQuiet(ignored: ReadonlySet<string | undefined>): boolean {
    return [...this.#news].every((type) => ignored.has(type));
  }

  #receive(envelope: ActionEnvelope): void {
    const { origin } = envelope;
    if (origin?.clientId === this.#clientId) this.#waiting.get(origin.clientSeq)?.(envelope);
    this.#tell(envelope.action.type);
  }

  #tell(type?: string): void {
    this.#onNews?.();
    this.#news.add(type);
    this.#wake?.();
  }
}
