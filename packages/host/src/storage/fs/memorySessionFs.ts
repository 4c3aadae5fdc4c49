import { posix, win32 } from 'node:path';
import { FileTree } from './fileTree.js';
import type { SessionFs, SessionFsEntry, SessionFsStat } from './sessionFs.js';
import { SessionFsFailure } from './sessionFs.js';
import { splitLines } from './splitLines.js';

export interface MemorySessionFsOptions {
  readonly conventions?: 'posix' | 'windows';
  readonly sessionId?: string;
  readonly initialCwd?: string;
  /** `null`: there is none, and so no workspace. */
  readonly sessionStatePath?: string | null;
  readonly now?: () => number;
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
  /** The buffer of a file may have room for more than its content. */
  readonly #tree: FileTree<Buffer>;

  constructor(options: MemorySessionFsOptions = {}) {
    this.conventions = options.conventions ?? 'posix';
    this.#path = this.conventions === 'windows' ? win32 : posix;
    this.#sessionId = options.sessionId ?? 'memory';
    this.#now = options.now ?? Date.now;
    this.#tree = new FileTree(this.conventions, this.#now);
    const root = this.conventions === 'windows' ? 'C:\\' : '/';
    const statePath = options.sessionStatePath ?? this.join(root, 'session-state', this.#sessionId);
    this.sessionStatePath = options.sessionStatePath === null ? undefined : statePath;
    this.tmpdir = this.join(root, 'temp');
    this.#initialCwd = options.initialCwd ?? root;
    for (const folder of [root, this.tmpdir, ...(this.sessionStatePath ? [this.sessionStatePath] : [])]) {
      for (const missing of this.#tree.foldersToMake(folder, { recursive: true })) this.#tree.addFolder(missing);
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
    return this.#tree.get(this.#absolute(path)) !== undefined;
  }

  async stat(path: string): Promise<SessionFsStat> {
    const node = this.#tree.node(this.#absolute(path));
    const isFile = node.type === 'file';
    const { mtime, birthtime } = node;
    return { isFile, isDirectory: !isFile, size: isFile ? node.size : 0, mtime, birthtime };
  }

  async mkdir(path: string, options: { readonly recursive?: boolean } = {}): Promise<void> {
    for (const folder of this.#tree.foldersToMake(this.#absolute(path), options)) this.#tree.addFolder(folder);
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithTypes(path)).map((entry) => entry.name);
  }

  async readdirWithTypes(path: string): Promise<SessionFsEntry[]> {
    return this.#tree.entriesOf(this.#absolute(path));
  }

  async rm(path: string, options: { readonly recursive?: boolean; readonly force?: boolean } = {}): Promise<void> {
    this.#tree.remove(this.#tree.pathsToRemove(this.#absolute(path), options));
  }

  async rename(source: string, target: string): Promise<void> {
    this.#tree.move(this.#tree.pathsToMove(this.#absolute(source), this.#absolute(target)));
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

  #content(path: string): Buffer {
    const { content, size } = this.#tree.file(this.#absolute(path));
    return content.subarray(0, size);
  }

  #write(path: string, content: Buffer, from: number | undefined): void {
    const absolute = this.#absolute(path);
    const now = this.#now();
    const file =
      this.#tree.fileToWrite(absolute) ??
      this.#tree.addFile(absolute, { birthtime: now, mtime: now, size: 0, content: Buffer.alloc(0) });
    const start = from ?? file.size;
    const size = start + content.length;
    if (size > file.content.length) {
      file.content = Buffer.concat([file.content.subarray(0, start)], Math.max(size, file.content.length * 2));
    }
    content.copy(file.content, start);
    file.size = size;
    file.mtime = now;
  }
}

function* chunksOf(content: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < content.length; at += MAX_CHUNK) yield content.subarray(at, at + MAX_CHUNK);
}
