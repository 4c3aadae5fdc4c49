import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { runGit } from '../git.js';
import type { Environment } from '../gitEnvironment.js';
import { GitError, type GitProblem } from '../gitError.js';
import { readable, ZeroSplitter } from '../zeroSplitter.js';
import { FileError } from './fileError.js';
import type { FolderRoot } from './folderRoot.js';
import { entriesOf } from './listFolder.js';

/** Files and folders of a session's folder that can be found. */
export interface FileList {
  readonly source: 'git' | 'folder';
  /** Relative paths. A folder has a slash at its end. */
  readonly paths: readonly string[];
  readonly isCut: boolean;
}

export interface FileListOptions {
  readonly env?: Environment | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Git may be run in the folder. */
  readonly isTrusted: boolean;
  readonly maxFiles?: number;
  readonly maxWalkMs?: number;
}

const MAX_FILES = 200_000;
const MAX_LIST_BYTES = 64 * 1024 * 1024;
const LIST_MS = 20_000;
const WALK_MS = 5_000;
const MAX_DEPTH = 40;
/** Folders of a folder without git that nobody looks for files in. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  '.venv',
  '__pycache__',
  '.cache',
]);
/** With these, the folder is read as if there were no git. */
const WITHOUT_GIT: ReadonlySet<GitProblem> = new Set(['noGit', 'tooOld', 'noRepository', 'refused', 'failed']);
/** Names that are no UTF-8 have it, and can't be opened by their text. */
const NO_TEXT = '\ufffd';

/** What git tracks and does not ignore; where git can't be asked, what is in the folder. */
export async function listFiles(root: FolderRoot, options: FileListOptions): Promise<FileList> {
  if (options.isTrusted) {
    try {
      const listed = await fromGit(root, options);
      // A folder that git ignores as a whole has no files for it.
      if (listed.paths.length > 0) return listed;
    } catch (error) {
      if (!(error instanceof GitError) || !WITHOUT_GIT.has(error.problem)) throw error;
    }
  }
  return fromFolder(root, options);
}

async function fromGit(root: FolderRoot, { env, signal, maxFiles = MAX_FILES }: FileListOptions): Promise<FileList> {
  const paths = new Paths(maxFiles);
  const splitter = new ZeroSplitter((part) => {
    const path = readable(part);
    // Another repository inside has a slash at its end.
    if (path.endsWith('/')) paths.addFolder(path);
    else paths.addFile(path);
  });
  const { isCut } = await runGit(
    root.real,
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'],
    {
      onOutput: async (piece) => {
        splitter.push(piece);
        await immediate();
      },
      maxOutputBytes: MAX_LIST_BYTES,
      atLimit: 'cut',
      timeoutMs: LIST_MS,
      ...(env && { env }),
      ...(signal && { signal }),
    },
  );
  return { source: 'git', paths: paths.all, isCut: isCut || paths.isCut };
}

/** Near files first, so that the far ones are left out of a folder that is too large. */
async function fromFolder(
  root: FolderRoot,
  { signal, maxFiles = MAX_FILES, maxWalkMs = WALK_MS }: FileListOptions,
): Promise<FileList> {
  const paths = new Paths(maxFiles);
  const until = performance.now() + maxWalkMs;
  let isCut = false;
  let level: readonly string[] = [''];
  for (let depth = 0; level.length > 0 && !isCut; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      isCut ||= depth >= MAX_DEPTH || paths.isCut || performance.now() > until || signal?.aborted === true;
      if (isCut) break;
      const read = await namesIn(root, folder);
      isCut ||= read.isCut;
      for (const path of read.files) paths.addFile(path);
      next.push(...read.folders);
    }
    level = next;
  }
  return { source: 'folder', paths: paths.all, isCut: isCut || paths.isCut };
}

async function namesIn(root: FolderRoot, folder: string) {
  const real = join(root.real, folder);
  const files: string[] = [];
  const folders: string[] = [];
  // A folder that is gone or can't be read is none.
  const { entries, isCut } = await root
    .useFolder(real, folder, (at) => entriesOf(at))
    .catch((error: unknown) => {
      if (error instanceof FileError && folder !== '') return { entries: [], isCut: false };
      throw error;
    });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory()) files.push(path);
    else if (!LEFT_OUT.has(entry.name) && !root.isHidden(join(real, entry.name))) folders.push(path);
  }
  return { files, folders, isCut };
}

class Paths {
  readonly all: string[] = [];
  readonly #folders = new Set<string>();
  readonly #max: number;
  isCut = false;

  constructor(max: number) {
    this.#max = max;
  }

  addFile(path: string): void {
    if (path.includes(NO_TEXT)) return;
    if (this.all.length >= this.#max) this.isCut = true;
    else this.all.push(path);
    this.#addFoldersOf(path, path.lastIndexOf('/'));
  }

  addFolder(path: string): void {
    if (!path.includes(NO_TEXT)) this.#addFoldersOf(path, path.length - 1);
  }

  #addFoldersOf(path: string, end: number): void {
    for (let at = end; at > 0 && !this.isCut; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at + 1);
      if (this.#folders.has(folder)) return;
      this.#folders.add(folder);
      this.all.push(folder);
    }
  }
}
