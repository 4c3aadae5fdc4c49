import { RPC_ERROR } from '../errors.js';
import { exceedsUtf8Bytes } from './frame.js';

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
  /** Values in a message, nested ones included. Parsing and checking costs as much as there are values, not bytes. */
  readonly maxValues: number;
}

export const DEFAULT_MESSAGE_LIMITS: MessageLimits = {
  maxFrameBytes: 4 * 1024 * 1024,
  maxDepth: 64,
  maxValues: Number.POSITIVE_INFINITY,
};

interface Fields {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

const MAX_ID_LENGTH = 256;

/** `malformed` is to be answered; `malformedResponse` never is, or two peers could answer each other forever. */
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
  if (exceedsJsonValues(text, limits.maxValues)) {
    return invalidRequest(idAtStart(text), `the message has more than ${limits.maxValues} values: send it in parts`);
  }
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

/** A JSON object that came otherwise than in a frame, under the same limits; or what is wrong with it. */
export function parseObject(
  text: string,
  { maxDepth, maxValues }: Pick<MessageLimits, 'maxDepth' | 'maxValues'>,
): object | string {
  if (exceedsJsonValues(text, maxValues)) return `it has more than ${maxValues} values: send it in parts`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is not a JSON object';
  return structureViolation(value, maxDepth) ?? value;
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

/** The id of a message that is not parsed, where it is written as most programs write it: near the beginning. */
function idAtStart(text: string): RequestId | null {
  const [, id] = /^\{"jsonrpc":"2\.0","id":("[\w-]{0,256}"|\d{1,15})[,}]/.exec(text) ?? [];
  return id === undefined ? null : (JSON.parse(id) as RequestId);
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

const [QUOTE, COMMA, COLON, BACKSLASH, BRACKET, BRACE] = [34, 44, 58, 92, 91, 123];

/**
 * How many values a JSON text has, nested ones included; looks no further once there are more than `most`. Keys count as values,
 * and each list and object counts for two more: that is about what they cost to parse and to check.
 */
export function jsonValues(text: string, most = Number.POSITIVE_INFINITY): number {
  let values = 1;
  for (let at = 0; at < text.length && values <= most; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === COMMA || code === COLON) values++;
    else if (code === BRACKET || code === BRACE) values += 2;
  }
  return values;
}

function exceedsJsonValues(text: string, most: number): boolean {
  // Each of them has a character of its own.
  return text.length > most && jsonValues(text, most) > most;
}

/** Where the quote is that ends what begins with a quote. */
function endOfText(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  if (end < 0) return text.length;
  if (text.charCodeAt(end - 1) !== BACKSLASH) return end;
  // Character by character from here on: looking for each of very many escaped quotes would take longer.
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

interface Cursor {
  readonly container: object;
  /** Undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
}

/**
 * What makes parsed JSON unsafe to hand on, or undefined: nesting over `maxDepth` containers (the root is the first), or a
 * key that can reach a prototype. Iterative, and holds no more than `maxDepth` cursors whatever comes in.
 */
function structureViolation(root: object, maxDepth: number): string | undefined {
  let cursor = cursorOf(root);
  if (typeof cursor === 'string') return cursor;
  const stack: Cursor[] = [];
  for (;;) {
    if (cursor.next === cursor.length) {
      const parent = stack.pop();
      if (parent === undefined) return undefined;
      cursor = parent;
      continue;
    }
    const value = childAt(cursor, cursor.next++);
    if (typeof value !== 'object' || value === null) continue;
    if (stack.length + 1 >= maxDepth) return `the message is nested deeper than ${maxDepth} levels`;
    const child = cursorOf(value);
    if (typeof child === 'string') return child;
    stack.push(cursor);
    cursor = child;
  }
}

function childAt(cursor: Cursor, index: number): unknown {
  if (cursor.keys === undefined) return (cursor.container as readonly unknown[])[index];
  return (cursor.container as Record<string, unknown>)[cursor.keys[index] as string];
}

function cursorOf(container: object): Cursor | string {
  if (Array.isArray(container)) return { container, keys: undefined, length: container.length, next: 0 };
  const keys = Object.keys(container);
  for (const key of keys) {
    if (key === '__proto__' || key === 'constructor' || key === 'prototype') return `the key "${key}" is not allowed`;
  }
  return { container, keys, length: keys.length, next: 0 };
}
