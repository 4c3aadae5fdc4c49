import * as z from 'zod';
import { MAX_PROVIDED_SESSIONS } from '../limits.js';
import { count, id, path, uri } from './primitives.js';

export const setProviderParams = z
  .object({
    initialCwd: path,
    sessionStatePath: path,
    conventions: z.enum(['posix', 'windows']),
    sessions: z
      .array(uri)
      .max(MAX_PROVIDED_SESSIONS)
      .exactOptional()
      .describe(
        'Sessions whose files the client has already: the host reads them for its list. At most `MAX_PROVIDED_SESSIONS`.',
      ),
  })
  .describe("`sessionFs.setProvider`: this connection keeps the sessions' files from now on.");
export const setProviderResult = z.object({
  success: z.literal(true),
  warnings: z
    .array(z.string())
    .exactOptional()
    .describe('What will not work as requested, and what to do: ready to display.'),
});

export const sessionFsEncoding = z.enum(['utf-8', 'base64']);
export const sessionFsError = z
  .object({ code: z.string(), message: z.string() })
  .describe("A file system's failure is part of the result, not a JSON-RPC error.");
export const sessionFsOutcome = sessionFsError.nullable();
const error = sessionFsError.exactOptional();
const mode = z.int().min(0).exactOptional();

const target = { sessionId: id, path };
export const sessionFsPathParams = z.object(target);
export const readFileParams = z.object({ ...target, encoding: sessionFsEncoding.exactOptional() });
export const readFileResult = z.object({ content: z.string(), error });
export const writeFileParams = z.object({
  ...target,
  content: z.string(),
  mode,
  encoding: sessionFsEncoding.exactOptional(),
});
export const existsResult = z.object({ exists: z.boolean() });
export const statResult = z.object({
  isFile: z.boolean(),
  isDirectory: z.boolean(),
  size: count,
  mtime: z.string().describe('ISO 8601.'),
  birthtime: z.string(),
  error,
});
export const mkdirParams = z.object({ ...target, recursive: z.boolean().exactOptional(), mode });
export const readdirResult = z.object({ entries: z.array(z.string()), error });
export const sessionFsEntry = z.object({ name: z.string(), type: z.enum(['file', 'directory']) });
export const readdirWithTypesResult = z.object({ entries: z.array(sessionFsEntry), error });
export const rmParams = z.object({
  ...target,
  recursive: z.boolean().exactOptional(),
  force: z.boolean().exactOptional(),
});
export const renameParams = z.object({ sessionId: id, src: path, dest: path });
