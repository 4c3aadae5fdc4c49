/**
 * Everything that a session keeps goes through this small interface, so that the same code stores a session on the local disk, in a
 * client's file system, or elsewhere.
 *
 * Contract:
 * - Paths are made with `join`, by `conventions`, never by the host's platform.
 * - A missing file or folder rejects with a `SessionFsFailure` of code `ENOENT`; every other failure has a code as well.
 * - `appendFile` creates the file. Appends of one caller that awaits each of them land in order; callers that don't must hold
 *   the lock of `lockKey(path)`.
 * - `writeFile` replaces. `rename` replaces its target. `rm` of a missing path rejects unless `force`.
 * - Content is text in UTF-8, or bytes.
 */
export interface SessionFs {
  readonly conventions: 'posix' | 'windows';
  /** The session folder. Without one there are no artifacts, but the session still runs. */
  readonly sessionStatePath: string | undefined;
  readonly tmpdir: string;
  /** Whether its paths are paths of this machine, which programs here can open. */
  readonly isLocal?: boolean;
  /**
   * Reads are uncertain: a result may be half a file, or another one. So a log is never shortened or rewritten because of what
   * was read of it.
   */
  readonly isUncertain?: boolean;
  /** A larger file can't be read back; without it, any size can. */
  readonly maxFileBytes?: number;
  initialCwd(): string;
  join(...parts: string[]): string;
  lockKey(path: string): string;

  readFile(path: string): Promise<string>;
  readFileBytes(path: string): Promise<Uint8Array>;
  writeFile(path: string, content: string | Uint8Array): Promise<void>;
  appendFile(path: string, content: string | Uint8Array): Promise<void>;
  exists(path: string): Promise<boolean>;
  stat(path: string): Promise<SessionFsStat>;
  mkdir(path: string, options?: { readonly recursive?: boolean }): Promise<void>;
  readdir(path: string): Promise<string[]>;
  readdirWithTypes(path: string): Promise<SessionFsEntry[]>;
  rm(path: string, options?: { readonly recursive?: boolean; readonly force?: boolean }): Promise<void>;
  rename(source: string, target: string): Promise<void>;

  /** The lines of a file without their ends, from a byte offset on, including a last line without an end. */
  readLines(path: string, fromByte?: number): AsyncIterable<string>;
  /** A part of a file, if the backend can read one without the rest; the part ends where the file does. */
  readRange?(path: string, offset: number, length: number): Promise<Uint8Array>;
  /**
   * The real path with links resolved; its end may be missing. Only if paths are those of this machine: then a program
   * can use it.
   */
  realPath?(path: string): Promise<string>;
  /** Forces the file's data to disk, if the backend can. */
  sync?(path: string): Promise<void>;
  /** Closes open files. */
  dispose(): Promise<void>;
}

export interface SessionFsStat {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly mtime: number;
  readonly birthtime: number;
}

export interface SessionFsEntry {
  readonly name: string;
  readonly type: 'file' | 'directory';
}

/** A file operation of a session failed; `code` is a code like those of Node, such as `ENOENT`. */
export class SessionFsFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SessionFsFailure';
    this.code = code;
  }
}
