import { lstat } from 'node:fs/promises';

/** The file system's name of a path of bytes. */
export function inFolder(folder: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
}

/** Which folders of a work tree are links, or no folders at all. Remembers what it found. */
export class LinkedFolders {
  readonly #folder: string;
  readonly #known = new Map<string, boolean>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether something above the path is a link. */
  async isBehindLink(path: string): Promise<boolean> {
    const end = path.lastIndexOf('/');
    return end !== -1 && this.#isLinked(path.slice(0, end));
  }

  async #isLinked(path: string): Promise<boolean> {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const found = await lstat(inFolder(this.#folder, path)).catch(() => undefined);
    const isLinked = found?.isSymbolicLink() === true || (await this.isBehindLink(path));
    this.#known.set(path, isLinked);
    return isLinked;
  }
}
