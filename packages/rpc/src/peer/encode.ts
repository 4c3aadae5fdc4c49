import type { ErrorObject, RequestId } from './message.js';

/** A result that is JSON already: spliced into the response as it is. */
export class RawResult {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** For handlers that keep a snapshot encoded. The text must be one valid JSON value: it is not looked at again. */
export function rawResult(json: string): RawResult {
  return new RawResult(json);
}

/** All of these throw a TypeError for what JSON cannot express (a BigInt, a cycle, a function). */
export function encodeRequest(id: RequestId, method: string, params?: object): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)}${encodeParams(params)}}`;
}

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
