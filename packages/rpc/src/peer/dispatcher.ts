import { type LocalErrorCode, LocalRpcError, RPC_ERROR, RpcError } from '../errors.js';
import type { Disposable } from '../events.js';
import { encodeError, encodeResponse } from './frame.js';
import { type ErrorObject, isRequestId, type RequestId } from './message.js';

export const CANCEL_REQUEST = '$/cancelRequest';

const MAX_QUOTED_LENGTH = 100;
const MAX_MESSAGE_LENGTH = 1_000;

export interface RequestContext {
  /** Aborts when the caller cancels, and when the connection closes. */
  readonly signal: AbortSignal;
}

/**
 * Contract:
 * - `parse` gets the params as they came (undefined when there are none) and throws when they are wrong: an RpcError is
 *   answered as it is, anything else as -32602 with its message, which therefore says what is wrong and nothing secret.
 * - `handle` is called on arrival, in order with everything else that arrives. What it returns without a promise is answered
 *   before the next frame is looked at; `undefined` is answered as null, a `rawResult` without another encoding, a
 *   `LateResult` as what it computes at that moment.
 * - A thrown RpcError is answered as it is. Anything else is answered as -32603 "internal error" and goes to `onError`.
 */
export interface RequestHandler<P = unknown, R = unknown> {
  parse(params: unknown): P;
  handle(params: P, context: RequestContext): R | Promise<R>;
}

/** As for requests, except that nothing is answered: whatever is thrown goes to `onError`. */
export interface NotificationHandler<P = unknown> {
  parse(params: unknown): P;
  handle(params: P): void | Promise<void>;
}

/**
 * A result that is computed when its answer is sent, in the same turn. For a handler that waits first and whose answer must be
 * exact about what was sent before it. It may throw an `RpcError`, which is the answer then.
 *
 * @example
 * ```ts
 * let sent = 0;
 * peer.onRequest('count', {
 *   parse: () => undefined,
 *   handle: async () => new LateResult(() => sent),
 * });
 * ```
 */
export class LateResult<R = unknown> {
  readonly compute: () => R;

  constructor(compute: () => R) {
    this.compute = compute;
  }
}

export interface DispatcherOptions {
  readonly maxIncomingRequests: number;
  /** Must not throw, and does nothing after the close. */
  readonly reply: (frame: string) => void;
  readonly report: (code: LocalErrorCode, message: string, cause?: unknown) => void;
}

/** Runs the handlers for the requests and notifications of the other side, and answers each request exactly once. */
export class Dispatcher {
  readonly #reply: DispatcherOptions['reply'];
  readonly #report: DispatcherOptions['report'];
  readonly #running: RunningRequests;
  // Maps, not objects: a method named "constructor" or "toString" must not find anything.
  readonly #requestHandlers = new Map<string, RequestHandler>();
  readonly #notificationHandlers = new Map<string, NotificationHandler>();

  constructor({ maxIncomingRequests, reply, report }: DispatcherOptions) {
    this.#reply = reply;
    this.#report = report;
    this.#running = new RunningRequests(maxIncomingRequests);
    this.onNotification(CANCEL_REQUEST, {
      parse: cancelledId,
      handle: (id) => this.#running.cancel(id),
    });
  }

  onRequest<P, R>(method: string, handler: RequestHandler<P, R>): Disposable {
    return register(this.#requestHandlers, method, handler as RequestHandler);
  }

  onNotification<P>(method: string, handler: NotificationHandler<P>): Disposable {
    return register(this.#notificationHandlers, method, handler as NotificationHandler);
  }

  request(id: RequestId, method: string, params: object | undefined): void {
    const handler = this.#requestHandlers.get(method);
    if (handler === undefined) {
      this.answerError(id, { code: RPC_ERROR.methodNotFound, message: `unknown method ${quote(method)}` });
      return;
    }
    const signal = this.#running.start(id);
    if (signal === 'full') {
      this.answerError(id, { code: RPC_ERROR.tooManyRequests, message: 'too many requests in flight' });
    } else if (signal === 'duplicate') {
      // Answered without the id: the caller would take it for the answer to its first request.
      const message = 'the id of a running request was used again';
      this.answerError(null, { code: RPC_ERROR.invalidRequest, message });
    } else {
      this.#run(id, method, handler, params, signal);
    }
  }

  notification(method: string, params: object | undefined): void {
    const handler = this.#notificationHandlers.get(method);
    if (handler === undefined) {
      this.#report('unknownNotification', `unknown notification ${quote(method)}`);
      return;
    }
    let parsed: unknown;
    try {
      parsed = handler.parse(params);
    } catch (error) {
      this.#report('invalidNotification', `invalid params of ${quote(method)}`, error);
      return;
    }
    try {
      const done: unknown = handler.handle(parsed);
      if (isPromiseLike(done)) Promise.resolve(done).catch((error: unknown) => this.#handlerFailed(method, error));
    } catch (error) {
      this.#handlerFailed(method, error);
    }
  }

  #handlerFailed(method: string, error: unknown): void {
    this.#report('handlerFailed', `the handler of ${quote(method)} failed`, error);
  }

  /** What the other side can cause at will is no `Error`: a stack for each would cost more than all the rest. */
  answerError(id: RequestId | null, error: ErrorObject): void {
    let frame: string;
    try {
      frame = encodeError(id, error);
    } catch (cause) {
      this.#report('notSerialisable', 'the data of an error cannot be expressed in JSON', cause);
      frame = encodeError(id, { code: error.code, message: error.message });
    }
    this.#reply(frame);
  }

  abortAll(reason: LocalRpcError): void {
    this.#running.abortAll(reason);
  }

  #run(id: RequestId, method: string, handler: RequestHandler, params: unknown, signal: AbortSignal): void {
    let parsed: unknown;
    try {
      parsed = handler.parse(params);
    } catch (error) {
      this.#fail(id, method, invalidParams(error), signal);
      return;
    }
    try {
      const result = handler.handle(parsed, { signal });
      if (isPromiseLike(result)) {
        Promise.resolve(result).then(
          (value) => this.#answer(id, value),
          (error) => this.#fail(id, method, error, signal),
        );
      } else {
        this.#answer(id, result);
      }
    } catch (error) {
      this.#fail(id, method, error, signal);
    }
  }

  #answer(id: RequestId, result: unknown): void {
    this.#running.finish(id);
    let frame: string;
    try {
      frame = encodeResponse(id, result instanceof LateResult ? result.compute() : result);
    } catch (error) {
      if (error instanceof RpcError) {
        this.answerError(id, error);
        return;
      }
      this.#report('notSerialisable', 'a result cannot be computed or expressed in JSON', error);
      frame = encodeError(id, { code: RPC_ERROR.internalError, message: 'internal error' });
    }
    this.#reply(frame);
  }

  #fail(id: RequestId, method: string, error: unknown, signal: AbortSignal): void {
    this.#running.finish(id);
    if (error instanceof RpcError) {
      this.answerError(id, error);
      return;
    }
    const aborted = isAbortOutcome(error, signal);
    if (!aborted) this.#report('handlerFailed', `the handler of ${quote(method)} failed`, error);
    this.answerError(id, new RpcError(RPC_ERROR.internalError, aborted ? 'request cancelled' : 'internal error'));
  }
}

function register<H>(handlers: Map<string, H>, method: string, handler: H): Disposable {
  if (handlers.has(method)) throw new Error(`${method} has a handler already`);
  handlers.set(method, handler);
  return {
    dispose: () => {
      if (handlers.get(method) === handler) handlers.delete(method);
    },
  };
}

function cancelledId(params: unknown): RequestId {
  const id = (params as { readonly id?: unknown } | undefined)?.id;
  if (!isRequestId(id)) throw new Error('id must be a request id');
  return id;
}

/** The other side chose the name, so its length is bounded before it is sent back or logged. */
function quote(method: string): string {
  return JSON.stringify(method.length > MAX_QUOTED_LENGTH ? `${method.slice(0, MAX_QUOTED_LENGTH)}…` : method);
}

/** The requests of the other side that handlers are working on, so that they can be counted and cancelled. */
class RunningRequests {
  readonly #limit: number;
  readonly #controllers = new Map<RequestId, AbortController>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  start(id: RequestId): AbortSignal | 'full' | 'duplicate' {
    if (this.#controllers.has(id)) return 'duplicate';
    if (this.#controllers.size >= this.#limit) return 'full';
    const controller = new AbortController();
    this.#controllers.set(id, controller);
    return controller.signal;
  }

  finish(id: RequestId): void {
    this.#controllers.delete(id);
  }

  /** A cancelled request still runs, and counts, until its handler is done. One that isn't running was just answered. */
  cancel(id: RequestId): void {
    this.#controllers.get(id)?.abort(new LocalRpcError('requestCancelled', 'the caller cancelled the request'));
  }

  abortAll(reason: LocalRpcError): void {
    for (const controller of [...this.#controllers.values()]) controller.abort(reason);
  }
}

/** Whether a handler failed only because its request was cancelled. That is not reported. */
function isAbortOutcome(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError'));
}

/** What to answer when `parse` threw. */
function invalidParams(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const message = error instanceof Error ? error.message : 'invalid params';
  return new RpcError(RPC_ERROR.invalidParams, message.slice(0, MAX_MESSAGE_LENGTH), { cause: error });
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
