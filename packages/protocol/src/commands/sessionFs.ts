import type { URI } from '../uri.js';
import type { Command } from './commands.js';

/** `sessionFs.setProvider`: this connection keeps the sessions' files from now on. */
export interface SetProviderParams {
  readonly initialCwd: string;
  readonly sessionStatePath: string;
  readonly conventions: 'posix' | 'windows';
  /** Sessions whose files the client has already: the host reads them for its list. At most `MAX_PROVIDED_SESSIONS`. */
  readonly sessions?: readonly URI[];
}

export interface SetProviderResult {
  readonly success: true;
  /** What will not work as it was asked for, and what to do: ready to display. */
  readonly warnings?: readonly string[];
}

/** Host → client requests: the ten methods of a provided file system, and no others. */
export interface SessionFsRequests {
  readonly 'sessionFs.readFile': Command<ReadFileParams, ReadFileResult>;
  readonly 'sessionFs.writeFile': Command<WriteFileParams, SessionFsOutcome>;
  readonly 'sessionFs.appendFile': Command<WriteFileParams, SessionFsOutcome>;
  readonly 'sessionFs.exists': Command<SessionFsPathParams, ExistsResult>;
  readonly 'sessionFs.stat': Command<SessionFsPathParams, StatResult>;
  readonly 'sessionFs.mkdir': Command<MkdirParams, SessionFsOutcome>;
  readonly 'sessionFs.readdir': Command<SessionFsPathParams, ReaddirResult>;
  readonly 'sessionFs.readdirWithTypes': Command<SessionFsPathParams, ReaddirWithTypesResult>;
  readonly 'sessionFs.rm': Command<RmParams, SessionFsOutcome>;
  readonly 'sessionFs.rename': Command<RenameParams, SessionFsOutcome>;
}

export type SessionFsEncoding = 'utf-8' | 'base64';

/** A file system's failure is part of the result, not a JSON-RPC error. */
export interface SessionFsError {
  readonly code: string;
  readonly message: string;
}

export type SessionFsOutcome = SessionFsError | null;

export interface SessionFsPathParams {
  readonly sessionId: string;
  readonly path: string;
}

export interface ReadFileParams extends SessionFsPathParams {
  readonly encoding?: SessionFsEncoding;
}

export interface ReadFileResult {
  readonly content: string;
  readonly error?: SessionFsError;
}

export interface WriteFileParams extends SessionFsPathParams {
  readonly content: string;
  readonly mode?: number;
  readonly encoding?: SessionFsEncoding;
}

export interface ExistsResult {
  readonly exists: boolean;
}

export interface StatResult {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly size: number;
  /** ISO 8601. */
  readonly mtime: string;
  readonly birthtime: string;
  readonly error?: SessionFsError;
}

export interface MkdirParams extends SessionFsPathParams {
  readonly recursive?: boolean;
  readonly mode?: number;
}

export interface ReaddirResult {
  readonly entries: readonly string[];
  readonly error?: SessionFsError;
}

export interface ReaddirWithTypesResult {
  readonly entries: readonly SessionFsEntry[];
  readonly error?: SessionFsError;
}

export interface SessionFsEntry {
  readonly name: string;
  readonly type: 'file' | 'directory';
}

export interface RmParams extends SessionFsPathParams {
  readonly recursive?: boolean;
  readonly force?: boolean;
}

export interface RenameParams {
  readonly sessionId: string;
  readonly src: string;
  readonly dest: string;
}
