import type { CloseReason } from './transport.js';

/** The codes that this package itself puts on the wire. */
export const RPC_ERROR = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  tooManyRequests: -32000,
} as const;

/**
 * An error as it crosses the wire. A handler throws one to answer with exactly this; a request rejects with one when the
 * other side answered so. One that a handler lets through from another peer is passed on as it is.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, options: { readonly data?: unknown; readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
    this.data = options.data;
  }
}

export type LocalErrorCode =
  | 'connectionClosed'
  | 'requestTimeout'
  | 'requestCancelled'
  | 'tooManyRequests'
  | 'notSerialisable'
  | 'sendFailed'
  | 'malformedFrame'
  | 'malformedResponse'
  | 'unexpectedResponse'
  | 'unknownNotification'
  | 'invalidNotification'
  | 'handlerFailed'
  | 'listenerFailed';

/** A failure on this side. Never sent: wire errors have numeric codes, local ones string codes. */
export class LocalRpcError extends Error {
  override readonly name: string = 'LocalRpcError';
  readonly code: LocalErrorCode;

  constructor(code: LocalErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

/** The connection was closed before the answer came, or before the request. */
export class ConnectionClosedError extends LocalRpcError {
  override readonly name = 'ConnectionClosedError';
  readonly reason: CloseReason;

  constructor(reason: CloseReason, options: { readonly cause?: unknown } = {}) {
    super('connectionClosed', `the connection is closed: ${reason.message}`, options);
    this.reason = reason;
  }
}

/** No answer came in time. */
export class RequestTimeoutError extends LocalRpcError {
  override readonly name = 'RequestTimeoutError';
  readonly method: string;
  readonly timeoutMs: number;

  constructor(method: string, timeoutMs: number, options: { readonly cause?: unknown } = {}) {
    super('requestTimeout', `no answer to ${method} within ${timeoutMs} ms`, options);
    this.method = method;
    this.timeoutMs = timeoutMs;
  }
}
