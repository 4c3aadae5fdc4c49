import type {
  CheckFilesParams,
  CheckFilesResult,
  FindFilesParams,
  FindFilesResult,
  FoundFile,
  ListFolderParams,
  ListFolderResult,
  ReadSessionFileParams,
  ReadSessionFileResult,
} from '@agenthost/protocol';
import type { Environment } from '../gitEnvironment.js';
import type { FileList, FileListOptions } from './fileList.js';
import type { FolderRoot, FolderRootOptions } from './folderRoot.js';

const FOUND = 30;
/** More are looked at than are answered: git lists files that were deleted. */
const SPARE = 40;
const AT_ONCE = 16;
/** A list is made again when it is older, at the earliest after so many times what it took. */
const FRESH_MS = 2_000;
const FRESH_TIMES = 20;
const LONGEST_FRESH_MS = 60_000;
const KEPT_MS = 120_000;
/** Lists in the memory of one host, of whatever session: one of 200,000 files takes some 20 MB. */
const MAX_LISTS = 4;

interface SessionFilesOptions extends FolderRootOptions {
  readonly env?: Environment | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly isTrusted: () => boolean;
  readonly limits?: Pick<FileListOptions, 'maxFiles' | 'maxWalkMs'>;
}

interface KeptList {
  readonly files: Promise<FileList>;
  readonly isTrusted: boolean;
  freshUntil: number;
}

/** Those that keep a list, the one that used it last at the end. */
const keepers = new Set<SessionFiles>();

/** The files of a session's folder, for people: folders, files in pages, and where a file is. It writes nothing. Its parts are loaded when they are used. */
export class SessionFiles {
  readonly #options: SessionFilesOptions;
  #list: KeptList | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SessionFilesOptions) {
    this.#options = options;
  }

  async listFolder(params: Omit<ListFolderParams, 'session'>): Promise<ListFolderResult> {
    const { listFolder } = await import('./listFolder.js');
    return listFolder(await this.#root(), params);
  }

  async readFile(params: Omit<ReadSessionFileParams, 'session'>): Promise<ReadSessionFileResult> {
    const { readFilePage } = await import('./readFilePage.js');
    return readFilePage(await this.#root(), params);
  }

  async findFiles({ query, limit = FOUND }: Omit<FindFilesParams, 'session'>): Promise<FindFilesResult> {
    const { searchFiles } = await import('./searchFiles.js');
    const root = await this.#root();
    const { paths, source, isCut } = await this.#files(root);
    const { best, total } = await searchFiles(paths, query, limit + SPARE);
    const found = (await checked(root, best)).map(
      // As it is listed: a link inside of the folder is not what it leads to.
      ({ path, type }): FoundFile => ({ path: path.replace(/\/$/, ''), type }),
    );
    const files = found.slice(0, limit);
    return { files, total, source, ...(isCut && { isCut: true as const }) };
  }

  async checkFiles({ paths }: Omit<CheckFilesParams, 'session'>): Promise<CheckFilesResult> {
    return { files: await checked(await this.#root(), paths) };
  }

  /** The files have changed: the list of them is made again. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#list = undefined;
    keepers.delete(this);
  }

  async #root(): Promise<FolderRoot> {
    const { FolderRoot } = await import('./folderRoot.js');
    return FolderRoot.open(this.#options);
  }

  async #files(root: FolderRoot): Promise<FileList> {
    const isTrusted = this.#options.isTrusted();
    const kept = this.#list;
    if (kept && kept.isTrusted === isTrusted && performance.now() < kept.freshUntil) return kept.files;
    const { env, signal, limits } = this.#options;
    const began = performance.now();
    const made: KeptList = {
      files: filesOf(root, { ...limits, env, signal, isTrusted }),
      isTrusted,
      freshUntil: Number.POSITIVE_INFINITY,
    };
    this.#keep(made);
    try {
      const files = await made.files;
      const now = performance.now();
      made.freshUntil = now + Math.min(Math.max((now - began) * FRESH_TIMES, FRESH_MS), LONGEST_FRESH_MS);
      return files;
    } catch (error) {
      if (this.#list === made) this.forget();
      throw error;
    }
  }

  #keep(list: KeptList): void {
    this.#list = list;
    keepers.delete(this);
    keepers.add(this);
    for (const other of [...keepers].slice(0, -MAX_LISTS)) other.forget();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.forget(), KEPT_MS).unref();
  }
}

async function filesOf(root: FolderRoot, options: FileListOptions): Promise<FileList> {
  const { listFiles } = await import('./fileList.js');
  return listFiles(root, options);
}

/** Those that are there, in the same order. A folder is asked for with or without a slash at its end. */
async function checked(root: FolderRoot, paths: readonly string[]): Promise<CheckFilesResult['files'][number][]> {
  const files: CheckFilesResult['files'][number][] = [];
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    const some = paths.slice(from, from + AT_ONCE);
    const found = await Promise.all(some.map((path) => root.find(path)));
    for (const [index, entry] of found.entries()) {
      const path = some[index];
      if (entry && path !== undefined) {
        files.push({ path, found: entry.shown, type: entry.stats.isFile() ? 'file' : 'folder' });
      }
    }
  }
  return files;
}
