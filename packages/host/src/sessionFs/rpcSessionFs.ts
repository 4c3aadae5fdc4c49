import { isUtf8 } from 'node:buffer';
import { posix, win32 } from 'node:path';
import { isSessionId, type SessionFsError, type SessionFsOutcome } from '@agenthost/protocol';
import type { SessionFs, SessionFsEntry, SessionFsStat } from './sessionFs.js';
import { SessionFsFailure } from './sessionFs.js';
import type { SessionFsProvider } from './sessionFsProvider.js';
import { splitLines } from './splitLines.js';

/** A write larger than this goes in pieces: base64 of it, in its frame, stays below what a frame may have. */
const MAX_PIECE_BYTES = 1024 * 1024;

/** The whole of a file comes back in one frame, in base64: this much of it fits into the 64 MiB that such a frame may have. */
const MAX_FILE_BYTES = 44 * 1024 * 1024;

/** A session's files in the file system of a client: every method is a call to it. */
export class RpcSessionFs implements SessionFs {
  readonly conventions: 'posix' | 'windows';
  readonly sessionStatePath: string;
  readonly maxFileBytes = MAX_FILE_BYTES;
  readonly tmpdir: string;
  readonly #provider: SessionFsProvider;
  readonly #sessionId: string;
  readonly #path: typeof posix;

  constructor(provider: SessionFsProvider, sessionId: string) {
    if (!isSessionId(sessionId)) throw new SessionFsFailure('EINVAL', `not a session id: ${JSON.stringify(sessionId)}`);
    const { conventions, sessionStatePath } = provider.config;
    this.#provider = provider;
    this.#sessionId = sessionId;
    this.conventions = conventions;
    this.#path = conventions === 'windows' ? win32 : posix;
    this.sessionStatePath = sessionStatePath;
    this.tmpdir = this.join(sessionStatePath, 'temp');
  }

  initialCwd(): string {
    return this.#provider.config.initialCwd;
  }

  join(...parts: string[]): string {
    return this.#path.join(...parts);
  }

  /** With the session's id: all sessions have the same paths there. */
  lockKey(path: string): string {
    return `${this.#sessionId}:${path}`;
  }

  async readFile(path: string): Promise<string> {
    const { content, error } = await this.#provider.call('sessionFs.readFile', this.#target(path));
    throwIf(error, path);
    return content;
  }

  async readFileBytes(path: string): Promise<Uint8Array> {
    const params = { ...this.#target(path), encoding: 'base64' } as const;
    const { content, error } = await this.#provider.call('sessionFs.readFile', params);
    throwIf(error, path);
    return Buffer.from(content, 'base64');
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    const [first = { content: '' }, ...rest] = pieces(content);
    throwIf(await this.#provider.call('sessionFs.writeFile', { ...this.#target(path), ...first }), path);
    for (const piece of rest) await this.#append(path, piece);
  }

  async appendFile(path: string, content: string | Uint8Array): Promise<void> {
    const all = pieces(content);
    for (const piece of all.length > 0 ? all : [{ content: '' }]) await this.#append(path, piece);
  }

  async exists(path: string): Promise<boolean> {
    return (await this.#provider.call('sessionFs.exists', this.#target(path))).exists;
  }

  async stat(path: string): Promise<SessionFsStat> {
    const stat = await this.#provider.call('sessionFs.stat', this.#target(path));
    throwIf(stat.error, path);
    const { isFile, isDirectory, size } = stat;
    return { isFile, isDirectory, size, mtime: time(stat.mtime), birthtime: time(stat.birthtime) };
  }

  async mkdir(path: string, { recursive }: { readonly recursive?: boolean } = {}): Promise<void> {
    const params = { ...this.#target(path), ...(recursive !== undefined && { recursive }) };
    throwIf(await this.#provider.call('sessionFs.mkdir', params), path);
  }

  async readdir(path: string): Promise<string[]> {
    const { entries, error } = await this.#provider.call('sessionFs.readdir', this.#target(path));
    throwIf(error, path);
    return [...entries];
  }

  async readdirWithTypes(path: string): Promise<SessionFsEntry[]> {
    const { entries, error } = await this.#provider.call('sessionFs.readdirWithTypes', this.#target(path));
    throwIf(error, path);
    return [...entries];
  }

  async rm(path: string, options: { readonly recursive?: boolean; readonly force?: boolean } = {}): Promise<void> {
    throwIf(await this.#provider.call('sessionFs.rm', { ...this.#target(path), ...options }), path);
  }

  async rename(source: string, target: string): Promise<void> {
    const params = { sessionId: this.#sessionId, src: source, dest: target };
    throwIf(await this.#provider.call('sessionFs.rename', params), source);
  }

  /** The whole file, split: the ten methods have none that reads a part. */
  async *readLines(path: string, fromByte = 0): AsyncGenerator<string> {
    const content = await this.readFileBytes(path);
    yield* splitLines([content.subarray(fromByte)]);
  }

  async dispose(): Promise<void> {}

  async #append(path: string, piece: Piece): Promise<void> {
    throwIf(await this.#provider.call('sessionFs.appendFile', { ...this.#target(path), ...piece }), path);
  }

  #target(path: string) {
    return { sessionId: this.#sessionId, path };
  }
}

interface Piece {
  readonly content: string;
  readonly encoding?: 'base64';
}

/** Text as text where it is short, however it came; all else as base64, which can be cut anywhere. */
function pieces(content: string | Uint8Array): Piece[] {
  if (typeof content === 'string' && content.length * 3 <= MAX_PIECE_BYTES) return [{ content }];
  const bytes = Buffer.from(content);
  if (bytes.length * 3 <= MAX_PIECE_BYTES && isUtf8(bytes)) return [{ content: bytes.toString() }];
  const all: Piece[] = [];
  for (let at = 0; at < bytes.length; at += MAX_PIECE_BYTES) {
    all.push({ content: bytes.subarray(at, at + MAX_PIECE_BYTES).toString('base64'), encoding: 'base64' });
  }
  return all;
}

function throwIf(error: SessionFsOutcome | SessionFsError | undefined, path: string): void {
  if (error) throw new SessionFsFailure(error.code, `${path}: ${error.message}`);
}

/** A provider's clock and format are its own; a time that can't be read is no reason to fail. */
function time(iso: string): number {
  const parsed = Date.parse(iso);
  return Number.isNaN(parsed) ? 0 : parsed;
}
