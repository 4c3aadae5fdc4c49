// Generated from the schemas by `npm run schemas`. Do not edit.

export interface ExistsResult {
  readonly exists: boolean;
}

export interface MkdirParams {
  readonly sessionId: string;
  readonly path: string;
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

export interface ReadFileParams {
  readonly sessionId: string;
  readonly path: string;
  readonly encoding?: SessionFsEncoding;
}

export interface ReadFileResult {
  readonly content: string;
  readonly error?: SessionFsError;
}

export interface RenameParams {
  readonly sessionId: string;
  readonly src: string;
  readonly dest: string;
}

export interface RmParams {
  readonly sessionId: string;
  readonly path: string;
  readonly recursive?: boolean;
  readonly force?: boolean;
}

export type SessionFsEncoding = 'utf-8' | 'base64';

export interface SessionFsEntry {
  readonly name: string;
  readonly type: 'file' | 'directory';
}

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

/** `sessionFs.setProvider`: this connection keeps the sessions' files from now on. */
export interface SetProviderParams {
  readonly initialCwd: string;
  readonly sessionStatePath: string;
  readonly conventions: 'posix' | 'windows';
  /**
   * Sessions whose files the client has already: the host reads them for its list. At most `MAX_PROVIDED_SESSIONS`.
   */
  readonly sessions?: readonly string[];
}

export interface SetProviderResult {
  readonly success: true;
  /** What will not work as requested, and what to do: ready to display. */
  readonly warnings?: readonly string[];
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

export interface WriteFileParams {
  readonly sessionId: string;
  readonly path: string;
  readonly content: string;
  readonly mode?: number;
  readonly encoding?: SessionFsEncoding;
}
