import type { URI } from '@agenthost/protocol';
import type { SessionFsEncoding, SessionFsEntry } from '@agenthost/protocol/internal';

type Awaitable<T> = T | Promise<T>;

/** This client keeps the sessions' files: the host stores nothing of them itself. */
export interface SessionFsConfig {
  /** The folder of sessions that are made without one. */
  readonly initialCwd: string;
  /** Where, within each session's own file system, the host puts its files. */
  readonly sessionStatePath: string;
  /** How paths are made there. */
  readonly conventions: 'posix' | 'windows';
  /** The sessions whose files this client has: the host lists them from the start. Needs `createSessionFsHandler` here. */
  readonly sessions?: readonly URI[] | (() => Awaitable<readonly URI[]>);
  /** For sessions that are made or opened without a handler of their own, and for those of `sessions`. */
  readonly createSessionFsHandler?: CreateSessionFsHandler;
}

/** Makes the file system of one session; asked for before the host is, so that its first call finds it. */
export type CreateSessionFsHandler = (session: URI) => SessionFsHandler;

export interface SessionFsFileOptions {
  readonly encoding: SessionFsEncoding;
  readonly mode?: number;
}

export interface SessionFsFileStat {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly size: number;
  readonly mtime: Date;
  readonly birthtime: Date;
}

/**
 * The files of one session.
 *
 * Contract:
 * - Methods return values and throw. Something that is not there throws an error whose `code` is `ENOENT`.
 * - `content` is text, or base64 where `encoding` says so; both name the same bytes. A handler may ignore `encoding`, and keep
 *   text alone: then it is given text alone, and what is no text in a text form (see docs/sessionFs.md).
 * - `appendFile` makes the file; `rename` replaces its target; `rm` with `force` does not mind what is not there.
 * - When a promise resolves, the change is stored: the host then reports it to all clients.
 */
export interface SessionFsHandler {
  readFile(path: string, encoding: SessionFsEncoding): Awaitable<string>;
  writeFile(path: string, content: string, options: SessionFsFileOptions): Awaitable<void>;
  appendFile(path: string, content: string, options: SessionFsFileOptions): Awaitable<void>;
  exists(path: string): Awaitable<boolean>;
  stat(path: string): Awaitable<SessionFsFileStat>;
  mkdir(path: string, options: { readonly recursive: boolean; readonly mode?: number }): Awaitable<void>;
  readdir(path: string): Awaitable<readonly string[]>;
  readdirWithTypes(path: string): Awaitable<readonly SessionFsEntry[]>;
  rm(path: string, options: { readonly recursive: boolean; readonly force: boolean }): Awaitable<void>;
  rename(source: string, target: string): Awaitable<void>;
}
