import { ZeroSplitter } from './zeroSplitter.js';

/** A file that differs between two trees. Its paths are bytes (`readable`). */
export interface ChangedFile {
  readonly path: string;
  readonly oldPath?: string;
  readonly status: 'M' | 'A' | 'D' | 'R';
  /** Absent for binary files. */
  additions?: number;
  deletions?: number;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
}

export interface ChangeList {
  readonly files: readonly ChangedFile[];
  readonly additions: number;
  readonly deletions: number;
  /** There were more than the limit; the others were not kept. */
  readonly isCut: boolean;
}

/** Options of `diff-tree` that `ChangeListReader` reads. Renames are looked for among at most 400 files, which bounds their cost. */
export const CHANGE_LIST_OPTIONS: readonly string[] = ['-r', '-z', '--raw', '--numstat', '--no-abbrev', '-M', '-l400'];

/** Reads `git diff-tree -z --raw --numstat`: first a record for each file, then the numbers in the same order. */
export class ChangeListReader {
  readonly #maxFiles: number;
  readonly #files: ChangedFile[] = [];
  readonly #splitter = new ZeroSplitter((part) => this.#next(part));
  #additions = 0;
  #deletions = 0;
  #isCut = false;
  /** The record that is being read: its first part, and the paths that are missing. */
  #record: { readonly head: string; readonly paths: string[]; missing: number } | undefined;
  #counted = 0;

  constructor(maxFiles: number) {
    this.#maxFiles = maxFiles;
  }

  push(piece: Buffer): void {
    this.#splitter.push(piece);
  }

  end(): ChangeList {
    return { files: this.#files, additions: this.#additions, deletions: this.#deletions, isCut: this.#isCut };
  }

  #next(part: string): void {
    if (this.#record) {
      this.#record.paths.push(part);
      if (--this.#record.missing > 0) return;
      const { head, paths } = this.#record;
      this.#record = undefined;
      if (head.startsWith(':')) this.#add(head, paths);
      else this.#count(head);
    } else if (part.startsWith(':')) {
      const isRename = /[RC]\d+$/.test(part);
      this.#record = { head: part, paths: [], missing: isRename ? 2 : 1 };
    } else if (part.endsWith('\t')) this.#record = { head: part, paths: [], missing: 2 };
    else this.#count(part);
  }

  #add(head: string, [first = '', second]: readonly string[]): void {
    if (this.#files.length >= this.#maxFiles) {
      this.#isCut = true;
      return;
    }
    const [oldMode = '', newMode = '', oldId = '', newId = '', letter = ''] = head.slice(1).split(' ');
    const status = letter.charAt(0);
    this.#files.push({
      path: second ?? first,
      ...(second !== undefined && { oldPath: first }),
      status: status === 'A' || status === 'D' || status === 'R' ? status : status === 'C' ? 'A' : 'M',
      oldMode,
      newMode,
      oldId,
      newId,
    });
  }

  #count(head: string): void {
    const file = this.#files[this.#counted++];
    const [added = '', deleted = ''] = head.split('\t', 2);
    if (added === '-' || deleted === '-') return;
    this.#additions += Number(added);
    this.#deletions += Number(deleted);
    if (!file) return;
    file.additions = Number(added);
    file.deletions = Number(deleted);
  }
}
