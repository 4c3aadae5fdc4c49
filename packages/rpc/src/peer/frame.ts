import type { ErrorObject, RequestId } from './message.js';

/** One encoded JSON-RPC message: text, or the same text as UTF-8 for senders that encode once and send to many. */
export type Frame = string | Uint8Array;

const encoder = new TextEncoder();
// A byte order mark is kept, so that a frame means the same whether it was sent as text or as bytes.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The frame as text.
 *
 * @example
 * ```ts
 * const text = frameToText(new Uint8Array([123, 125])); // '{}'
 * ```
 */
export function frameToText(frame: Frame): string {
  return typeof frame === 'string' ? frame : decoder.decode(frame);
}

/**
 * The frame as UTF-8.
 *
 * @example
 * ```ts
 * const bytes = frameToBytes('{"jsonrpc":"2.0","method":"hello"}');
 * ```
 */
export function frameToBytes(frame: Frame): Uint8Array {
  return typeof frame === 'string' ? encoder.encode(frame) : frame;
}

/** Whether the text takes more than `maxBytes` as UTF-8, without encoding it. */
export function exceedsUtf8Bytes(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  if (text.length * 3 <= maxBytes) return false;
  // Most texts have no other characters, and this is much faster.
  if (!/[\u0080-\uffff]/.test(text)) return false;
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 4;
      i++;
    } else bytes += 3;
    if (bytes > maxBytes) return true;
  }
  return false;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/**
 * A result that is JSON already. It goes into the response as it is.
 *
 * @example
 * ```ts
 * const cached: RawResult = rawResult('{"items":[]}');
 * ```
 */
export class RawResult {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/**
 * Makes a result of JSON text, for handlers that keep their answer encoded. The text must be one valid JSON value: it is not checked.
 *
 * @example
 * ```ts
 * const cached = JSON.stringify({ items: [1, 2, 3] });
 * peer.onRequest('list', { parse: () => undefined, handle: () => rawResult(cached) });
 * ```
 */
export function rawResult(json: string): RawResult {
  return new RawResult(json);
}

/** All of these throw a TypeError for what JSON cannot express (a BigInt, a cycle, a function). */
export function encodeRequest(id: RequestId, method: string, params?: object): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)}${encodeParams(params)}}`;
}

/**
 * Encodes a notification once, to send it to many peers with `sendFrame`. Throws a TypeError for params that JSON cannot express.
 *
 * @example
 * ```ts
 * declare const subscribers: readonly RpcPeer[];
 *
 * const frame = frameToBytes(encodeNotification('changed', { version: 2 }));
 * for (const subscriber of subscribers) subscriber.sendFrame(frame);
 * ```
 */
export function encodeNotification(method: string, params?: object): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${encodeParams(params)}}`;
}

/** A result of `undefined` becomes `null`: a response must have one. */
export function encodeResponse(id: RequestId, result: unknown): string {
  const json = result instanceof RawResult ? result.json : encodeValue(result ?? null);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}`;
}

export function encodeError(id: RequestId | null, { code, message, data }: ErrorObject): string {
  const error = data === undefined ? { code, message } : { code, message, data };
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${encodeValue(error)}}`;
}

function encodeParams(params: object | undefined): string {
  return params === undefined ? '' : `,"params":${encodeValue(params)}`;
}

function encodeValue(value: unknown): string {
  const json: string | undefined = JSON.stringify(value);
  if (json === undefined) throw new TypeError(`a ${typeof value} cannot be expressed in JSON`);
  return json;
}
