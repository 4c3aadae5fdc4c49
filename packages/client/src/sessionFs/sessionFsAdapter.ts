import { ERROR_CODE, type SessionFsRequests } from '@agenthost/protocol';
import {
  errorMessage,
  type SessionFsError,
  type SessionFsOutcome,
  type WriteFileParams,
} from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import { HandlerContent } from './handlerContent.js';
import type { SessionFsFileOptions, SessionFsHandler } from './sessionFsHandler.js';

/** The ten calls as they come over the wire: what went wrong is part of the result. */
export type SessionFsAdapter = {
  readonly [M in keyof SessionFsRequests]: (
    params: SessionFsRequests[M]['params'],
  ) => Promise<SessionFsRequests[M]['result']>;
};

/** Turns a handler, which returns and throws, and may know no `encoding`, into what the host expects. */
export function createSessionFsAdapter(handler: SessionFsHandler): SessionFsAdapter {
  const content = new HandlerContent(handler);
  return {
    'sessionFs.readFile': ({ path, encoding = 'utf-8' }) =>
      attempt(
        async () => ({ content: await content.read(path, encoding) }),
        (error) => ({ content: '', error }),
      ),
    'sessionFs.writeFile': (params) => outcome(() => content.write(params.path, params.content, fileOptions(params))),
    'sessionFs.appendFile': (params) => outcome(() => content.append(params.path, params.content, fileOptions(params))),
    // A question that can't be answered is not answered with "no": the call itself fails.
    'sessionFs.exists': async ({ path }) => {
      try {
        return { exists: await handler.exists(path) };
      } catch (error) {
        throw new RpcError(ERROR_CODE.internalError, toSessionFsError(error).message, { cause: error });
      }
    },
    'sessionFs.stat': ({ path }) =>
      attempt(
        async () => {
          const { mtime, birthtime, ...stat } = await content.stat(path);
          return { ...stat, mtime: isoTime(mtime), birthtime: isoTime(birthtime) };
        },
        (error) => ({ isFile: false, isDirectory: false, size: 0, mtime: '', birthtime: '', error }),
      ),
    'sessionFs.mkdir': ({ path, recursive = false, mode }) =>
      outcome(() => handler.mkdir(path, { recursive, ...(mode !== undefined && { mode }) })),
    'sessionFs.readdir': ({ path }) =>
      attempt(
        async () => ({ entries: await handler.readdir(path) }),
        (error) => ({ entries: [], error }),
      ),
    'sessionFs.readdirWithTypes': ({ path }) =>
      attempt(
        async () => ({ entries: await handler.readdirWithTypes(path) }),
        (error) => ({ entries: [], error }),
      ),
    'sessionFs.rm': ({ path, recursive = false, force = false }) =>
      outcome(() => handler.rm(path, { recursive, force })),
    'sessionFs.rename': ({ src, dest }) => outcome(() => handler.rename(src, dest)),
  };
}

function fileOptions({ encoding = 'utf-8', mode }: WriteFileParams): SessionFsFileOptions {
  return { encoding, ...(mode !== undefined && { mode }) };
}

/** A handler in JavaScript may give a text or a number, or nothing. */
function isoTime(time: Date): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

function outcome(run: () => void | Promise<void>): Promise<SessionFsOutcome> {
  return attempt<SessionFsOutcome>(
    async () => {
      await run();
      return null;
    },
    (error) => error,
  );
}

async function attempt<T>(run: () => Promise<T>, failed: (error: SessionFsError) => T): Promise<T> {
  try {
    return await run();
  } catch (error) {
    return failed(toSessionFsError(error));
  }
}

/** The host needs to know what is not there; everything else is simply a failure. */
function toSessionFsError(error: unknown): SessionFsError {
  const message = errorMessage(error);
  const isMissing = typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
  return { code: isMissing ? 'ENOENT' : 'UNKNOWN', message };
}
