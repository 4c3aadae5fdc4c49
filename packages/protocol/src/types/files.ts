// Generated from the schemas by `npm run schemas`. Do not edit.

export interface CheckedFile {
  /** As it was asked for. */
  readonly path: string;
  /** Relative to the session's folder; empty for itself. */
  readonly found: string;
  readonly type: 'file' | 'folder';
}

export interface CheckFilesParams {
  readonly session: string;
  readonly paths: readonly string[];
}

export interface CheckFilesResult {
  /** Those of the paths that are in the session's folder, and can be opened. */
  readonly files: readonly CheckedFile[];
}

export interface FindFilesParams {
  readonly session: string;
  /** Characters that are in the path in this order, in any case. All files if empty. */
  readonly query: string;
  readonly limit?: number;
}

export interface FindFilesResult {
  /** The best first; the same query on the same files has the same order. */
  readonly files: readonly FoundFile[];
  /** How many match. */
  readonly total: number;
  /** `git`: what git tracks, and what it does not ignore. `folder`: the folder was read. */
  readonly source: 'git' | 'folder';
  /** There are more files than the host looks at. */
  readonly isCut?: true;
}

/** What is in a folder of the session's folder. */
export interface FolderEntry {
  readonly name: string;
  /** `other`: a pipe, a device, or a name that is no text. It can't be opened. */
  readonly type: 'file' | 'folder' | 'link' | 'other';
  /** In bytes, of a file. */
  readonly size?: number;
  readonly modifiedAt?: number;
  /** Of a link that can be opened: one that leads out of the session's folder can't. */
  readonly leadsTo?: 'file' | 'folder';
}

export interface FoundFile {
  /** Relative to the session's folder, with `/` between names. */
  readonly path: string;
  readonly type: 'file' | 'folder';
}

export interface ListFolderParams {
  readonly session: string;
  /** The session's folder itself if absent. */
  readonly path?: string;
  readonly limit?: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
}

export interface ListFolderResult {
  /** Relative to the session's folder; empty for itself. */
  readonly path: string;
  /** Folders first, then by name. Without `.git`. */
  readonly entries: readonly FolderEntry[];
  readonly total: number;
  /** There are more entries than the host reads of one folder. */
  readonly isCut?: true;
  readonly nextCursor?: string;
}

export interface ReadSessionFileParams {
  readonly session: string;
  /** Relative to the session's folder, or absolute inside it. */
  readonly path: string;
  /** Where to begin, in bytes: `nextOffset` of the page before, for example. */
  readonly offset?: number;
  /** Begin with this line, counted from 1, in place of `offset`. */
  readonly line?: number;
  /** In bytes; of text at most 262144, which is the default. */
  readonly length?: number;
  /** Gives `data` in place of `text`, whatever the file is. */
  readonly asBytes?: true;
}

export interface ReadSessionFileResult {
  /** Relative to the session's folder. */
  readonly path: string;
  /** By its first bytes. Of an image and of binary data there is nothing more, unless `asBytes` is given. */
  readonly kind: 'text' | 'image' | 'binary';
  /** Of an image: PNG, JPEG, GIF or WebP. */
  readonly mimeType?: string;
  readonly size: number;
  readonly modifiedAt: number;
  /** Another one after each change: pages with the same one belong together. */
  readonly revision: string;
  /** Where this page begins. The text begins and ends between two characters. */
  readonly offset: number;
  /** The number of its first line: if `line` was asked for, or `offset` is 0. */
  readonly line?: number;
  readonly text?: string;
  /** Some bytes of this page are no UTF-8, and were replaced. */
  readonly isDamaged?: true;
  /** Base64. */
  readonly data?: string;
  /** Absent on the last page. */
  readonly nextOffset?: number;
}
