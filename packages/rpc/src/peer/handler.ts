import { RPC_ERROR, RpcError } from '../errors.js';

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
 * A result that is computed when its answer is sent, in the same turn: for a handler that has to wait first and whose answer
 * must still be exact about what was sent before it.
 */
export class LateResult<R = unknown> {
  readonly compute: () => R;

  constructor(compute: () => R) {
    this.compute = compute;
  }
}

const MAX_MESSAGE_LENGTH = 1_000;

/** What to answer when `parse` threw. */
export function invalidParams(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const message = error instanceof Error ? error.message : 'invalid params';
  return new RpcError(RPC_ERROR.invalidParams, message.slice(0, MAX_MESSAGE_LENGTH), { cause: error });
}

export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
