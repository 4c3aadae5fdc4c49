import { RPC_ERROR } from '../errors.js';
import { exceedsUtf8Bytes } from './frame.js';
import { structureViolation } from './structureViolation.js';

export type RequestId = string | number;

export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface MessageLimits {
  readonly maxFrameBytes: number;
  /** Nested containers, the message itself included. */
  readonly maxDepth: number;
}

export const DEFAULT_MESSAGE_LIMITS: MessageLimits = { maxFrameBytes: 4 * 1024 * 1024, maxDepth: 64 };

interface Fields {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

const MAX_ID_LENGTH = 256;

/** `malformed` is to be answered; `malformedResponse` never is, or two peers could answer each other for ever. */
export type Message =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params?: object }
  | { readonly kind: 'notification'; readonly method: string; readonly params?: object }
  | { readonly kind: 'response'; readonly id: RequestId; readonly result: unknown }
  | { readonly kind: 'errorResponse'; readonly id: RequestId | null; readonly error: ErrorObject }
  | { readonly kind: 'malformed'; readonly id: RequestId | null; readonly code: number; readonly message: string }
  /** An id and nothing else: a response whose result was `undefined`, which JSON drops, or a request without a method. */
  | { readonly kind: 'bareId'; readonly id: RequestId }
  | { readonly kind: 'malformedResponse'; readonly id: RequestId | null; readonly message: string };

/** Never throws, whatever the text. */
export function parseMessage(text: string, limits: MessageLimits = DEFAULT_MESSAGE_LIMITS): Message {
  if (exceedsUtf8Bytes(text, limits.maxFrameBytes)) return oversizeFrame(limits.maxFrameBytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Engines whose parser recurses give up on deep nesting with another error than the one for bad syntax.
    return error instanceof SyntaxError
      ? { kind: 'malformed', id: null, code: RPC_ERROR.parseError, message: 'the frame is not JSON' }
      : invalidRequest(null, 'the frame could not be parsed');
  }
  if (Array.isArray(value)) return invalidRequest(null, 'batches are not supported');
  if (typeof value !== 'object' || value === null) return invalidRequest(null, 'a message is an object');
  const fields: Fields = value;
  const isResponse =
    !Object.hasOwn(fields, 'method') && (Object.hasOwn(fields, 'result') || Object.hasOwn(fields, 'error'));
  return isResponse ? toResponse(fields, limits) : toCall(fields, limits);
}

/** The answer to a frame that is too long to be looked at. */
export function oversizeFrame(maxBytes: number): Message & { readonly kind: 'malformed' } {
  return invalidRequest(null, `the frame is longer than ${maxBytes} bytes`);
}

/** The answer to a call that names no method. */
export function withoutMethod(id: RequestId | null): Message & { readonly kind: 'malformed' } {
  return invalidRequest(id, 'method must be a string');
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' ? value.length <= MAX_ID_LENGTH : Number.isFinite(value);
}

function toCall(fields: Fields, limits: MessageLimits): Message {
  const { id, method, params } = fields;
  const validId = isRequestId(id) ? id : null;
  const violation = structureViolation(fields, limits.maxDepth);
  if (violation !== undefined) return invalidRequest(validId, violation);
  if (id !== undefined && validId === null) {
    return invalidRequest(null, `id must be a string of up to ${MAX_ID_LENGTH} characters or a finite number`);
  }
  if (fields.jsonrpc !== '2.0') return invalidRequest(validId, 'jsonrpc must be "2.0"');
  if (validId !== null && method === undefined && params === undefined) return { kind: 'bareId', id: validId };
  if (typeof method !== 'string') return withoutMethod(validId);
  if (params !== undefined && (typeof params !== 'object' || params === null)) {
    return invalidRequest(validId, 'params must be an object or an array');
  }
  if (validId === null) {
    return params === undefined ? { kind: 'notification', method } : { kind: 'notification', method, params };
  }
  return params === undefined
    ? { kind: 'request', id: validId, method }
    : { kind: 'request', id: validId, method, params };
}

function toResponse(fields: Fields, limits: MessageLimits): Message {
  const { id, error } = fields;
  const validId = isRequestId(id) ? id : null;
  const malformed = (message: string): Message => ({ kind: 'malformedResponse', id: validId, message });
  const violation = structureViolation(fields, limits.maxDepth);
  if (violation !== undefined) return malformed(violation);
  if (fields.jsonrpc !== '2.0') return malformed('jsonrpc must be "2.0"');
  if (!Object.hasOwn(fields, 'error')) {
    return validId === null
      ? malformed('a result needs a valid id')
      : { kind: 'response', id: validId, result: fields.result };
  }
  if (Object.hasOwn(fields, 'result')) return malformed('a response has either a result or an error');
  if (validId === null && id !== null) return malformed('an error needs a valid id, or null');
  if (!isErrorObject(error)) return malformed('error must have an integer code and a message');
  return { kind: 'errorResponse', id: validId, error };
}

function isErrorObject(value: unknown): value is ErrorObject {
  if (typeof value !== 'object' || value === null) return false;
  const { code, message } = value as Partial<ErrorObject>;
  return Number.isInteger(code) && typeof message === 'string';
}

function invalidRequest(id: RequestId | null, message: string): Message & { readonly kind: 'malformed' } {
  return { kind: 'malformed', id, code: RPC_ERROR.invalidRequest, message };
}
