import { ConnectionClosedError, type LocalErrorCode, LocalRpcError, RpcError } from '../errors.js';
import { CloseEvent, type Disposable } from '../events.js';
import type { CloseReason, Transport } from '../transport.js';
import { CANCEL_REQUEST, Dispatcher, type NotificationHandler, type RequestHandler } from './dispatcher.js';
import { encodeNotification, encodeRequest, type Frame } from './frame.js';
import {
  DEFAULT_MESSAGE_LIMITS,
  type ErrorObject,
  type Message,
  type MessageLimits,
  oversizeFrame,
  parseMessage,
  type RequestId,
  withoutMethod,
} from './message.js';
import { type PendingRequest, PendingRequests } from './pendingRequests.js';

/** The answer to an oversize frame must itself pass the other side's limit, or two peers could answer each other forever. */
const MIN_FRAME_BYTES = 1024;
const MIN_VALUES = 16;

export interface PeerLimits extends MessageLimits {
  /** How long a request waits for its answer; 0: until the close. */
  readonly requestTimeoutMs: number;
  /** Requests of this side without an answer; one more rejects at once. */
  readonly maxOutgoingRequests: number;
  /** Requests of the other side whose handlers still run; one more is answered with -32000. */
  readonly maxIncomingRequests: number;
}

export interface RpcPeerOptions extends Partial<PeerLimits> {
  /** Gets errors that have no caller: handlers that failed, frames and responses that make no sense. */
  readonly onError?: (error: LocalRpcError) => void;
}

export const DEFAULT_PEER_LIMITS: PeerLimits = {
  ...DEFAULT_MESSAGE_LIMITS,
  requestTimeoutMs: 30_000,
  maxOutgoingRequests: 1_024,
  maxIncomingRequests: 256,
};

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** 0: wait until the answer or the close. */
  readonly timeoutMs?: number | undefined;
}

/**
 * One end of a JSON-RPC 2.0 connection. Owns its transport: disposing the peer closes it.
 *
 * Register handlers in the same turn in which the peer is made: the first frame is looked at in a later microtask.
 *
 * @example
 * ```ts
 * const { a, b } = createMemoryTransportPair();
 * const server = new RpcPeer(b);
 * server.onRequest('double', { parse: Number, handle: (value) => value * 2 });
 * const client = new RpcPeer(a);
 * const ping = await client.request('double', [21], { timeoutMs: 1_000 });
 * client.dispose();
 * ```
 */
export class RpcPeer {
  readonly #transport: Transport;
  #limits: PeerLimits;
  readonly #onError: ((error: LocalRpcError) => void) | undefined;
  readonly #pending: PendingRequests;
  readonly #dispatcher: Dispatcher;
  readonly #close = new CloseEvent((error) => this.#report('listenerFailed', 'a close listener failed', error));
  readonly #subscriptions: Disposable[] = [];

  constructor(transport: Transport, options: RpcPeerOptions = {}) {
    this.#transport = transport;
    this.#limits = peerLimits(options);
    this.#onError = options.onError;
    this.#pending = new PendingRequests(this.#limits.maxOutgoingRequests);
    this.#dispatcher = new Dispatcher({
      maxIncomingRequests: this.#limits.maxIncomingRequests,
      reply: (frame) => this.sendFrame(frame),
      report: (code, message, cause) => this.#report(code, message, cause),
    });
    // The first listener, so that the others find nothing pending.
    this.#close.on((reason) => this.#failAll(reason));
    const oversize = transport.onOversizeFrame?.((maxBytes) => this.#receive(oversizeFrame(maxBytes)));
    if (oversize !== undefined) this.#subscriptions.push(oversize);
    this.#subscriptions.push(transport.onClose((reason) => this.#close.tell(reason)));
    this.#subscriptions.push(transport.onMessage((text) => this.#receive(parseMessage(text, this.#limits))));
  }

  /** Why the connection is closed, or undefined while it is open. */
  get closeReason(): CloseReason | undefined {
    return this.#close.reason;
  }

  /** How long a frame from the other side may be, from now on, and how many values it may have. */
  setFrameLimits(limits: Pick<PeerLimits, 'maxFrameBytes' | 'maxValues'>): void {
    this.#limits = peerLimits({ ...this.#limits, ...limits });
  }

  /**
   * Rejects with an RpcError when the other side answers with an error, with the signal's reason when that aborts, and else
   * with a LocalRpcError. The frame is handed to the transport before this returns.
   */
  request(method: string, params?: object, options: RequestOptions = {}): Promise<unknown> {
    const { signal, timeoutMs = this.#limits.requestTimeoutMs } = options;
    if (this.#close.reason !== undefined) return Promise.reject(new ConnectionClosedError(this.#close.reason));
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#pending.isFull) {
      const message = `${method} was not sent: ${this.#limits.maxOutgoingRequests} requests are waiting for an answer`;
      return Promise.reject(new LocalRpcError('tooManyRequests', message));
    }
    const onAbandon = (id: number) => this.notify(CANCEL_REQUEST, { id });
    const { id, result } = this.#pending.open({ method, signal, timeoutMs, onAbandon });
    try {
      const frame = encoded(method, () => encodeRequest(id, method, params));
      this.#send(frame);
    } catch (error) {
      this.#pending.take(id)?.reject(error);
    }
    return result;
  }

  /** Throws a LocalRpcError when the params cannot be expressed in JSON; does nothing after the close. */
  notify(method: string, params?: object): void {
    this.sendFrame(encoded(method, () => encodeNotification(method, params)));
  }

  /** Sends a frame that was encoded before, such as a broadcast, as it is. Does nothing after the close. */
  sendFrame(frame: Frame): void {
    if (this.#close.reason !== undefined) return;
    try {
      this.#send(frame);
    } catch (error) {
      this.#tell(error as LocalRpcError);
    }
  }

  /** One handler a method: a second one throws. */
  onRequest<P, R>(method: string, handler: RequestHandler<P, R>): Disposable {
    return this.#dispatcher.onRequest(method, handler);
  }

  /** One handler a method: a second one throws. */
  onNotification<P>(method: string, handler: NotificationHandler<P>): Disposable {
    return this.#dispatcher.onNotification(method, handler);
  }

  /** Called once, after the pending requests were rejected; in a microtask when the connection is closed already. */
  onClose(listener: (reason: CloseReason) => void): Disposable {
    return this.#close.on(listener);
  }

  close(reason: CloseReason = { message: 'closed by this side' }): void {
    this.#transport.close(reason);
    // The transport may report its close later; for this peer it is closed now.
    this.#close.tell(reason);
  }

  dispose(): void {
    this.close({ message: 'disposed' });
  }

  #receive(message: Message): void {
    if (this.#close.reason !== undefined) return;
    switch (message.kind) {
      case 'request':
        this.#dispatcher.request(message.id, message.method, message.params);
        return;
      case 'notification':
        this.#dispatcher.notification(message.method, message.params);
        return;
      case 'response':
        this.#takePending(message.id)?.resolve(message.result);
        return;
      case 'errorResponse':
        this.#receiveError(message.id, message.error);
        return;
      case 'bareId':
        this.#receiveBareId(message.id);
        return;
      case 'malformed':
        this.#dispatcher.answerError(message.id, message);
        this.#report('malformedFrame', message.message);
        return;
      case 'malformedResponse': {
        const error = new LocalRpcError('malformedResponse', `malformed response: ${message.message}`);
        if (message.id !== null) this.#takePending(message.id)?.reject(error);
        this.#tell(error);
      }
    }
  }

  /** Many programs answer a method that returns nothing with a `result` of `undefined`, which JSON drops. */
  #receiveBareId(id: RequestId): void {
    const pending = this.#pending.take(id);
    if (pending) pending.resolve(undefined);
    else if (!this.#pending.takeAbandoned(id)) this.#receive(withoutMethod(id));
  }

  #receiveError(id: RequestId | null, { code, message, data }: ErrorObject): void {
    const error = new RpcError(code, message, { data });
    if (id !== null) this.#takePending(id)?.reject(error);
    else this.#report('unexpectedResponse', 'the other side refused a frame', error);
  }

  #takePending(id: RequestId): PendingRequest | undefined {
    const pending = this.#pending.take(id);
    if (pending === undefined && !this.#pending.takeAbandoned(id)) {
      this.#report('unexpectedResponse', `no request waits for the response to ${JSON.stringify(id)}`);
    }
    return pending;
  }

  #send(frame: Frame): void {
    try {
      this.#transport.send(frame);
    } catch (cause) {
      throw new LocalRpcError('sendFailed', 'the transport could not send', { cause });
    }
  }

  #failAll(reason: CloseReason): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    const error = new ConnectionClosedError(reason);
    this.#dispatcher.abortAll(error);
    this.#pending.rejectAll(error);
  }

  #report(code: LocalErrorCode, message: string, cause?: unknown): void {
    this.#tell(new LocalRpcError(code, message, cause === undefined ? {} : { cause }));
  }

  #tell(error: LocalRpcError): void {
    try {
      this.#onError?.(error);
    } catch {
      // There is no other place to report to.
    }
  }
}

function encoded(method: string, encode: () => string): string {
  try {
    return encode();
  } catch (cause) {
    throw new LocalRpcError('notSerialisable', `the params of ${method} cannot be expressed in JSON`, { cause });
  }
}

function peerLimits(options: RpcPeerOptions): PeerLimits {
  const {
    maxFrameBytes = DEFAULT_PEER_LIMITS.maxFrameBytes,
    maxDepth = DEFAULT_PEER_LIMITS.maxDepth,
    maxValues = DEFAULT_PEER_LIMITS.maxValues,
    requestTimeoutMs = DEFAULT_PEER_LIMITS.requestTimeoutMs,
    maxOutgoingRequests = DEFAULT_PEER_LIMITS.maxOutgoingRequests,
    maxIncomingRequests = DEFAULT_PEER_LIMITS.maxIncomingRequests,
  } = options;
  atLeast('maxFrameBytes', maxFrameBytes, MIN_FRAME_BYTES);
  atLeast('maxDepth', maxDepth, 2);
  atLeast('maxValues', maxValues, MIN_VALUES);
  atLeast('requestTimeoutMs', requestTimeoutMs, 0);
  atLeast('maxOutgoingRequests', maxOutgoingRequests, 1);
  atLeast('maxIncomingRequests', maxIncomingRequests, 1);
  return { maxFrameBytes, maxDepth, maxValues, requestTimeoutMs, maxOutgoingRequests, maxIncomingRequests };
}

// Written so that NaN, which no comparison would ever exceed, is refused too.
function atLeast(name: string, value: number, minimum: number): void {
  if (!(value >= minimum)) throw new RangeError(`${name} must be at least ${minimum}, not ${value}`);
}
