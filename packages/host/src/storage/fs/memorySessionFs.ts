import { posix, win32 } from 'node:path';
import type { SessionFs, SessionFsEntry, SessionFsStat } from './sessionFs.js';
import { SessionFsFailure } from './sessionFs.js';
import { splitLines } from './splitLines.js';

export interface MemorySessionFsOptions {
  readonly conventions?: 'posix' | 'windows';
  readonly sessionId?: string;
  readonly initialCwd?: string;
  /** `null`: there is no session folder. */
  readonly sessionStatePath?: string | null;
  readonly now?: () => number;
}

interface Folder {
  readonly type: 'directory';
  readonly birthtime: number;
  mtime: number;
}

interface StoredFile {
  readonly type: 'file';
  readonly birthtime: number;
  mtime: number;
  /** Has spare capacity; `size` bytes of it are the content. */
  buffer: Buffer;
  size: number;
}

const MAX_CHUNK = 64 * 1024;

/** For tests, and for hosts without a disk. Nothing in it leads anywhere else. */
export class MemorySessionFs implements SessionFs {
  readonly conventions: 'posix' | 'windows';
  readonly sessionStatePath: string | undefined;
  readonly tmpdir: string;
  readonly #initialCwd: string;
  readonly #sessionId: string;
  readonly #path: typeof posix;
  readonly #now: () => number;
  readonly #nodes = new Map<string, Folder | StoredFile>();

  constructor(options: MemorySessionFsOptions = {}) {
    this.conventions = options.conventions ?? 'posix';
    this.#path = this.conventions === 'windows' ? win32 : posix;
    this.#sessionId = options.sessionId ?? 'memory';
    this.#now = options.now ?? Date.now;
    const root = this.conventions === 'windows' ? 'C:\\' : '/';
    const statePath = options.sessionStatePath ?? this.join(root, 'session-state', this.#sessionId);
    this.sessionStatePath = options.sessionStatePath === null ? undefined : statePath;
    this.tmpdir = this.join(root, 'temp');
    this.#initialCwd = options.initialCwd ?? root;
    for (const folder of [root, this.tmpdir, ...(this.sessionStatePath ? [this.sessionStatePath] : [])]) {
      this.#makeFolders(folder);
    }
  }

  initialCwd(): string {
    return this.#initialCwd;
  }

  join(...parts: string[]): string {
    return this.#path.join(...parts);
  }

  lockKey(path: string): string {
    return `${this.#sessionId}:${this.#absolute(path)}`;
  }

  async readFile(path: string): Promise<string> {
    return this.#content(path).toString('utf8');
  }

  async readFileBytes(path: string): Promise<Uint8Array> {
    return Uint8Array.from(this.#content(path));
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    this.#write(path, Buffer.from(content), 0);
  }

  async appendFile(path: string, content: string | Uint8Array): Promise<void> {
    this.#write(path, Buffer.from(content), undefined);
  }

  async exists(path: string): Promise<boolean> {
    return this.#nodes.has(this.#absolute(path));
  }

  async stat(path: string): Promise<SessionFsStat> {
    const node = this.#node(path);
    return {
      isFile: node.type === 'file',
      isDirectory: node.type === 'directory',
      size: node.type === 'file' ? node.size : 0,
      mtime: node.mtime,
      birthtime: node.birthtime,
    };
  }

  async mkdir(path: string, options: { readonly recursive?: boolean } = {}): Promise<void> {
    const absolute = this.#absolute(path);
    const node = this.#nodes.get(absolute);
    if (node && !(options.recursive && node.type === 'directory')) throw failure('EEXIST', path);
    if (options.recursive) this.#makeFolders(absolute);
    else {
      this.#parent(absolute);
      this.#makeFolder(absolute);
    }
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithTypes(path)).map((entry) => entry.name);
  }

  async readdirWithTypes(path: string): Promise<SessionFsEntry[]> {
    const absolute = this.#absolute(path);
    if (this.#node(path).type !== 'directory') throw failure('ENOTDIR', path);
    return [...this.#nodes]
      .filter(([at]) => at !== absolute && this.#path.dirname(at) === absolute)
      .map(([at, { type }]) => ({ name: this.#path.basename(at), type }));
  }

  async rm(path: string, options: { readonly recursive?: boolean; readonly force?: boolean } = {}): Promise<void> {
    const absolute = this.#absolute(path);
    const node = this.#nodes.get(absolute);
    if (!node) {
      if (options.force) return;
      throw failure('ENOENT', path);
    }
    if (node.type === 'directory' && !options.recursive) throw failure('EISDIR', path);
    for (const at of this.#below(absolute)) this.#nodes.delete(at);
    this.#touch(this.#path.dirname(absolute));
  }

  async rename(source: string, target: string): Promise<void> {
    const [from, to] = [this.#absolute(source), this.#absolute(target)];
    const node = this.#node(source);
    this.#parent(to);
    const replaced = this.#nodes.get(to);
    if (from === to) return;
    if (replaced && replaced.type !== node.type) {
      throw failure(replaced.type === 'directory' ? 'EISDIR' : 'ENOTDIR', target);
    }
    const moved = this.#below(from);
    if (to.startsWith(from + this.#path.sep)) throw failure('EINVAL', target);
    if (this.#below(to).length > 1) throw failure('ENOTEMPTY', target);
    for (const at of moved) {
      const moving = this.#nodes.get(at);
      this.#nodes.delete(at);
      if (moving) this.#nodes.set(to + at.slice(from.length), moving);
    }
    for (const at of [from, to]) this.#touch(this.#path.dirname(at));
  }

  async *readLines(path: string, fromByte = 0): AsyncGenerator<string> {
    const content = this.#content(path).subarray(fromByte);
    yield* splitLines(chunksOf(Uint8Array.from(content)));
  }

  async dispose(): Promise<void> {}

  #absolute(path: string): string {
    if (path.includes('\0')) throw new SessionFsFailure('EINVAL', 'a path may not hold a NUL');
    const absolute = this.#path.isAbsolute(path) ? path : this.join(this.sessionStatePath ?? this.tmpdir, path);
    return this.#path.resolve(absolute);
  }

  #node(path: string): Folder | StoredFile {
    const absolute = this.#absolute(path);
    const node = this.#nodes.get(absolute);
    if (node) return node;
    this.#parent(absolute);
    throw failure('ENOENT', path);
  }

  #content(path: string): Buffer {
    const node = this.#node(path);
    if (node.type === 'directory') throw failure('EISDIR', path);
    return node.buffer.subarray(0, node.size);
  }

  #write(path: string, content: Buffer, from: number | undefined): void {
    const absolute = this.#absolute(path);
    const before = this.#nodes.get(absolute);
    if (before?.type === 'directory') throw failure('EISDIR', path);
    const now = this.#now();
    if (!before) this.#touch(this.#parent(absolute));
    const file = before ?? { type: 'file', birthtime: now, mtime: now, buffer: Buffer.alloc(0), size: 0 };
    const start = from ?? file.size;
    const size = start + content.length;
    if (size > file.buffer.length) {
      file.buffer = Buffer.concat([file.buffer.subarray(0, start)], Math.max(size, file.buffer.length * 2));
    }
    content.copy(file.buffer, start);
    file.size = size;
    file.mtime = now;
    this.#nodes.set(absolute, file);
  }

  /** The parent folder, or the failure that it doesn't exist. */
  #parent(absolute: string): string {
    for (let at = this.#path.dirname(absolute); ; at = this.#path.dirname(at)) {
      const node = this.#nodes.get(at);
      if (node?.type === 'file') throw failure('ENOTDIR', absolute);
      if (node && at === this.#path.dirname(absolute)) return at;
      if (node || at === this.#path.dirname(at)) throw failure('ENOENT', absolute);
    }
  }

  #makeFolders(absolute: string): void {
    const node = this.#nodes.get(absolute);
    if (node?.type === 'directory') return;
    if (node) throw failure('ENOTDIR', absolute);
    const parent = this.#path.dirname(absolute);
    if (parent !== absolute) this.#makeFolders(parent);
    this.#makeFolder(absolute);
  }

  #makeFolder(absolute: string): void {
    const now = this.#now();
    this.#nodes.set(absolute, { type: 'directory', birthtime: now, mtime: now });
    this.#touch(this.#path.dirname(absolute));
  }

  #touch(folder: string): void {
    const node = this.#nodes.get(folder);
    if (node) node.mtime = this.#now();
  }

  #below(absolute: string): string[] {
    const inside = absolute.endsWith(this.#path.sep) ? absolute : absolute + this.#path.sep;
    return [...this.#nodes.keys()].filter((at) => at === absolute || at.startsWith(inside));
  }
}

function* chunksOf(content: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < content.length; at += MAX_CHUNK) yield content.subarray(at, at + MAX_CHUNK);
}

const MESSAGES: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EEXIST: 'file already exists',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  EINVAL: 'invalid argument',
};

function failure(code: string, path: string): SessionFsFailure {
  return new SessionFsFailure(code, `${code}: ${MESSAGES[code]}, '${path}'`);
}
