import type { SessionFsRequests } from '@agenthost/protocol';
import { SESSION_FS_SCHEMAS } from '@agenthost/protocol/schemas';
import { FIRST_ISSUE } from '../describeIssues.js';
import { ProviderFailure } from '../storage/fs/providerFailure.js';

type Method = keyof SessionFsRequests;
type Fields = Readonly<Record<string, unknown>>;

/** The fields beside an error, if an answer has them. */
const NOTHING: { readonly [M in Method]?: Fields } = {
  'sessionFs.readFile': { content: '' },
  'sessionFs.stat': { isFile: false, isDirectory: false, size: 0, mtime: '', birthtime: '' },
  'sessionFs.readdir': { entries: [] },
  'sessionFs.readdirWithTypes': { entries: [] },
};

/**
 * Checks and normalizes a provider's answer. An error may be the whole answer or a field of it, a size may be missing, and a time may
 * be missing or a number: providers for Copilot's SDK answer in any of these ways.
 */
export function readAnswer<M extends Method>(method: M, result: unknown): SessionFsRequests[M]['result'] {
  const parsed = SESSION_FS_SCHEMAS[method].result.safeParse(usual(method, result ?? null), FIRST_ISSUE);
  if (parsed.success) return parsed.data as SessionFsRequests[M]['result'];
  throw ProviderFailure.failed('EPROTO', `its answer to ${method} makes no sense`);
}

function usual(method: Method, result: unknown): unknown {
  if (!isFields(result)) return result;
  const { error, ...rest } = result;
  if (error === null) return usual(method, rest);
  if (isError(result)) return withError(method, result);
  return method === 'sessionFs.stat' ? { size: 0, ...result, ...times(result) } : result;
}

function withError(method: Method, { code, message }: { readonly code: string; readonly message: string }): unknown {
  const nothing = NOTHING[method];
  if (nothing) return { ...nothing, error: { code, message } };
  if (method !== 'sessionFs.exists') return { code, message };
  if (code === 'ENOENT') return { exists: false };
  throw ProviderFailure.failed(code, `${method}: ${message}`);
}

function times({ mtime, birthtime }: Fields): Fields {
  return { mtime: timeOf(mtime), birthtime: timeOf(birthtime) };
}

function timeOf(time: unknown): unknown {
  if (typeof time !== 'number') return time ?? '';
  return Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : '';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isError(value: Fields): value is { readonly code: string; readonly message: string } {
  return typeof value['code'] === 'string' && typeof value['message'] === 'string';
}
