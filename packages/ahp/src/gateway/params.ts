import { MAX_ID_LENGTH, MAX_URI_LENGTH } from '@agenthost/protocol/internal';
import { RPC_ERROR, RpcError } from '@agenthost/rpc';
import { isRecord, type JsonRecord, textsOf } from '../translate/json.js';
import type { AhpAction } from '../types.js';

/** Per request: far more than a client may be subscribed to, and few enough to check each. */
const MAX_CHANNELS = 1_000;

/** The params of a request, or the error that says what is wrong with them. */
export function recordParams(params: unknown): JsonRecord {
  if (params === undefined) return {};
  if (!isRecord(params)) throw invalid('params must be an object');
  return params;
}

export function requiredText(params: JsonRecord, name: string, maxLength = MAX_URI_LENGTH): string {
  const value = params[name];
  if (typeof value !== 'string' || value === '') throw invalid(`${name} must be a text`);
  if (value.length > maxLength) throw invalid(`${name} has more than ${maxLength} characters`);
  return value;
}

export function optionalText(params: JsonRecord, name: string): string | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalid(`${name} must be a text`);
  return value;
}

export function optionalCount(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw invalid(`${name} must be a whole number`);
  return value as number;
}

export function requiredTexts(params: JsonRecord, name: string): readonly string[] {
  const texts = textsOf(params[name]);
  if (!texts) throw invalid(`${name} must be a list of texts`);
  return texts;
}

/** The channels that a client wants at once, without duplicates. */
export function initialChannels(params: JsonRecord): readonly string[] {
  const channels = textsOf(params['initialSubscriptions']) ?? [];
  mustBeFew(channels, 'initialSubscriptions');
  return [...new Set(channels)];
}

export interface DispatchParams {
  readonly channel: string;
  readonly clientSeq: number;
  readonly action: AhpAction;
}

export function dispatchParams(params: unknown): DispatchParams {
  const record = recordParams(params);
  const { clientSeq, action } = record;
  if (typeof clientSeq !== 'number' || !Number.isFinite(clientSeq)) throw invalid('clientSeq must be a number');
  if (!isRecord(action) || typeof action['type'] !== 'string') throw invalid('action must have a type');
  return { channel: requiredText(record, 'channel'), clientSeq, action: action as AhpAction };
}

/** One cursor for everything, or one per channel, as the newest clients send it. */
export interface ReconnectParams {
  readonly clientId: string;
  readonly isPerChannel: boolean;
  readonly cursors: readonly { readonly channel: string; readonly since: number }[];
}

export function reconnectParams(params: unknown): ReconnectParams {
  const record = recordParams(params);
  const clientId = requiredText(record, 'clientId', MAX_ID_LENGTH);
  const { subscriptions } = record;
  if (!Array.isArray(subscriptions)) throw invalid('subscriptions must be a list');
  mustBeFew(subscriptions, 'subscriptions');
  const isPerChannel = subscriptions.some(isRecord);
  const cursors = subscriptions.map((entry: unknown) => {
    const channel = isPerChannel && isRecord(entry) ? requiredText(entry, 'channel') : entry;
    const since = isPerChannel && isRecord(entry) ? entry['lastSeenServerSeq'] : record['lastSeenServerSeq'];
    if (typeof channel !== 'string') throw invalid('subscriptions must name channels');
    return { channel, since: typeof since === 'number' && Number.isFinite(since) ? since : -1 };
  });
  return { clientId, isPerChannel, cursors };
}

function mustBeFew(channels: readonly unknown[], name: string): void {
  if (channels.length > MAX_CHANNELS) throw invalid(`${name} has more than ${MAX_CHANNELS} channels: name fewer`);
}

function invalid(message: string): RpcError {
  return new RpcError(RPC_ERROR.invalidParams, message);
}
