import { posix, win32 } from 'node:path';
import { SessionFsFailure } from './sessionFs.js';

export interface FolderNode {
  readonly type: 'directory';
  readonly birthtime: number;
  mtime: number;
}

/** A file, with whatever its backend keeps of its content. */
export interface FileNode<C> {
  readonly type: 'file';
  readonly birthtime: number;
  mtime: number;
  size: number;
  content: C;
}

export type TreeNode<C> = FolderNode | FileNode<C>;

/**
 * The names, types and times of the files of one session, in memory. Checks what a file system on a disk checks, so that every
 * backend that has no disk fails in the same way. A backend checks first, then stores, then changes the tree.
 */
export class FileTree<C> {
  readonly #path: typeof posix;
  readonly #now: () => number;
  readonly #nodes = new Map<string, TreeNode<C>>();

  constructor(conventions: 'posix' | 'windows', now: () => number) {
    this.#path = conventions === 'windows' ? win32 : posix;
    this.#now = now;
  }

  get(absolute: string): TreeNode<C> | undefined {
    return this.#nodes.get(absolute);
  }

  /** Throws when there is nothing at that path. */
  node(absolute: string): TreeNode<C> {
    const node = this.#nodes.get(absolute);
    if (node) return node;
    this.parentOf(absolute);
    throw failure('ENOENT', absolute);
  }

  /** Throws when there is no file at that path. */
  file(absolute: string): FileNode<C> {
    const node = this.node(absolute);
    if (node.type === 'directory') throw failure('EISDIR', absolute);
    return node;
  }

  /** The file that is about to be written, if there is one. Throws when there can't be a file. */
  fileToWrite(absolute: string): FileNode<C> | undefined {
    const node = this.#nodes.get(absolute);
    if (node?.type === 'directory') throw failure('EISDIR', absolute);
    if (!node) this.parentOf(absolute);
    return node;
  }

  /** The folders that `mkdir` has to make, the outermost first. */
  foldersToMake(absolute: string, { recursive = false }: { readonly recursive?: boolean } = {}): string[] {
    const node = this.#nodes.get(absolute);
    if (node && !(recursive && node.type === 'directory')) throw failure('EEXIST', absolute);
    if (node) return [];
    if (!recursive) {
      this.parentOf(absolute);
      return [absolute];
    }
    const missing = [absolute];
    for (let at = this.#path.dirname(absolute); ; at = this.#path.dirname(at)) {
      const found = this.#nodes.get(at);
      if (found?.type === 'file') throw failure('ENOTDIR', absolute);
      if (found || at === this.#path.dirname(at)) return found ? missing : [at, ...missing];
      missing.unshift(at);
    }
  }

  entriesOf(absolute: string): { readonly name: string; readonly type: 'file' | 'directory' }[] {
    if (this.node(absolute).type !== 'directory') throw failure('ENOTDIR', absolute);
    return [...this.#nodes]
      .filter(([at]) => at !== absolute && this.#path.dirname(at) === absolute)
      .map(([at, { type }]) => ({ name: this.#path.basename(at), type }));
  }

  /** The paths that `rm` has to remove; none when there is nothing and that is allowed. */
  pathsToRemove(absolute: string, options: { readonly recursive?: boolean; readonly force?: boolean }): string[] {
    const node = this.#nodes.get(absolute);
    if (!node) {
      if (options.force) return [];
      throw failure('ENOENT', absolute);
    }
    if (node.type === 'directory' && !options.recursive) throw failure('EISDIR', absolute);
    return this.#below(absolute);
  }

  /** The old and new paths of everything that `rename` has to move; none when both are the same. */
  pathsToMove(from: string, to: string): (readonly [string, string])[] {
    const node = this.node(from);
    this.parentOf(to);
    const replaced = this.#nodes.get(to);
    if (from === to) return [];
    if (replaced && replaced.type !== node.type) {
      throw failure(replaced.type === 'directory' ? 'EISDIR' : 'ENOTDIR', to);
    }
    if (to.startsWith(from + this.#path.sep)) throw failure('EINVAL', to);
    if (this.#below(to).length > 1) throw failure('ENOTEMPTY', to);
    return this.#below(from).map((at) => [at, to + at.slice(from.length)] as const);
  }

  addFolder(absolute: string, times?: { readonly birthtime: number; readonly mtime: number }): void {
    const now = this.#now();
    this.#nodes.set(absolute, { type: 'directory', ...(times ?? { birthtime: now, mtime: now }) });
    if (!times) this.#touch(this.#path.dirname(absolute));
  }

  addFile(absolute: string, file: Omit<FileNode<C>, 'type'>): FileNode<C> {
    const node: FileNode<C> = { type: 'file', ...file };
    if (!this.#nodes.has(absolute)) this.#touch(this.#path.dirname(absolute));
    this.#nodes.set(absolute, node);
    return node;
  }

  remove(paths: readonly string[]): void {
    for (const path of paths) this.#nodes.delete(path);
    const [first] = paths;
    if (first !== undefined) this.#touch(this.#path.dirname(first));
  }

  move(moves: readonly (readonly [string, string])[]): void {
    for (const [from, to] of moves) {
      const moving = this.#nodes.get(from);
      this.#nodes.delete(from);
      if (moving) this.#nodes.set(to, moving);
    }
    for (const path of moves[0] ?? []) this.#touch(this.#path.dirname(path));
  }

  /** The folder that something is in. Throws when there is none. */
  parentOf(absolute: string): string {
    for (let at = this.#path.dirname(absolute); ; at = this.#path.dirname(at)) {
      const node = this.#nodes.get(at);
      if (node?.type === 'file') throw failure('ENOTDIR', absolute);
      if (node && at === this.#path.dirname(absolute)) return at;
      if (node || at === this.#path.dirname(at)) throw failure('ENOENT', absolute);
    }
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
