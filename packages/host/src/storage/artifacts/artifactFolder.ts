import { isWithin } from '../fs/confinement.js';
import { errorCode } from '../fs/errnoFailure.js';
import { replaceFile } from '../fs/replaceFile.js';
import type { SessionFs } from '../fs/sessionFs.js';
import { artifactSegments, isArtifactName, MAX_DEPTH } from './artifactName.js';
import { requireStatePath, StorageFailure } from './storageFailure.js';

export const MAX_ARTIFACT_BYTES = 16 * 1024 * 1024;
/** Maximum number of entries that a listing reads, including folders. */
export const MAX_LISTED_ENTRIES = 10_000;
/** Beside the folders, so that a half written file is never listed and never conflicts with a file of its name. */
const TEMPORARY = 'artifact.tmp';
const PIECE_BYTES = 4 * 1024 * 1024;

export interface ArtifactNames {
  /** With `/` between folders under all conventions, ordered by code units. */
  readonly names: readonly string[];
  /** Whether there were more than were read. */
  readonly isComplete: boolean;
}

/**
 * Files under untrusted names, in one folder of the session. Contract: writes don't overlap; the caller awaits
 * each.
 */
export class ArtifactFolder {
  readonly #fs: SessionFs;
  readonly #temporary: string;
  readonly #path: string;

  /** Throws when the session has no folder at all. */
  constructor(fs: SessionFs, name: string) {
    const statePath = requireStatePath(fs);
    this.#fs = fs;
    this.#path = fs.join(statePath, name);
    this.#temporary = fs.join(statePath, TEMPORARY);
  }

  /** The path of the artifact, existing or not. */
  async locate(name: string): Promise<string> {
    const path = this.#fs.join(this.#path, ...artifactSegments(name, this.#fs.conventions));
    return locateWithin(this.#fs, this.#path, path);
  }

  /** At any moment either the old content or the new one is there, complete. */
  async write(name: string, content: string | Uint8Array): Promise<void> {
    checkSize(name, content, MAX_ARTIFACT_BYTES);
    await this.#replace(name, content);
  }

  /** Copies all files of any size; a link to one becomes a file, and one that leads outside is left out. */
  async copyTo(target: ArtifactFolder): Promise<void> {
    const { names } = await this.list(Number.POSITIVE_INFINITY);
    for (const name of names) {
      const path = await this.locate(name).catch((error: unknown) => {
        if (leadsOutside(error)) return undefined;
        throw error;
      });
      if (path !== undefined) await target.#copy(name, this.#fs, path);
    }
  }

  /** A tool's output may be larger than the memory. */
  async #copy(name: string, source: SessionFs, from: string): Promise<void> {
    const { size } = await source.stat(from);
    if (!source.readRange || size <= PIECE_BYTES) return this.#replace(name, await source.readFileBytes(from));
    const path = await this.#makeRoom(name);
    await this.#fs.writeFile(this.#temporary, '');
    for (let offset = 0; offset < size; offset += PIECE_BYTES) {
      const length = Math.min(PIECE_BYTES, size - offset);
      await this.#fs.appendFile(this.#temporary, await source.readRange(from, offset, length));
    }
    await this.#fs.rename(this.#temporary, path);
  }

  async #makeRoom(name: string): Promise<string> {
    const path = await this.locate(name);
    const folders = artifactSegments(name, this.#fs.conventions).slice(0, -1);
    await this.#fs.mkdir(this.#fs.join(this.#path, ...folders), { recursive: true });
    return path;
  }

  async #replace(name: string, content: string | Uint8Array): Promise<void> {
    const path = await this.#makeRoom(name);
    await replaceFile(this.#fs, path, content, { temporary: this.#temporary });
  }

  /** `false` when it didn't exist. */
  async remove(name: string): Promise<boolean> {
    const path = await this.locate(name);
    if (!(await this.#fs.exists(path))) return false;
    await this.#fs.rm(path);
    return true;
  }

  /** All files, including those in folders. A folder that is a link is left out: it may lead in a circle. */
  async list(maxEntries: number = MAX_LISTED_ENTRIES): Promise<ArtifactNames> {
    const names: string[] = [];
    const folders: (readonly string[])[] = [[]];
    let seen = 0;
    for (let folder = folders.shift(); folder; folder = folders.shift()) {
      for (const { name, type } of await this.#entries(folder)) {
        if (++seen > maxEntries) return { names: names.sort(), isComplete: false };
        const segments = [...folder, name];
        const joined = segments.join('/');
        // A provider may answer anything; a name with a separator would be another path.
        if (name.includes('/') || !isArtifactName(joined, this.#fs.conventions)) continue;
        if (type === 'file') names.push(joined);
        else if (segments.length < MAX_DEPTH && !(await this.#isLink(segments))) folders.push(segments);
      }
    }
    return { names: names.sort(), isComplete: true };
  }

  async #entries(folder: readonly string[]) {
    try {
      return await this.#fs.readdirWithTypes(this.#fs.join(this.#path, ...folder));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  async #isLink(segments: readonly string[]): Promise<boolean> {
    const path = this.#fs.join(this.#path, ...segments);
    return this.#fs.realPath !== undefined && (await this.#fs.realPath(path)) !== path;
  }
}

/**
 * The real path, which must be inside of the folder (or be it): a link must not turn the session's log into an artifact.
 * If the backend has no paths of this machine, its provider is responsible for links.
 */
export async function locateWithin(fs: SessionFs, folder: string, path: string): Promise<string> {
  if (!fs.realPath) return path;
  const real = await fs.realPath(path);
  if (isWithin(folder, real)) return real;
  throw new StorageFailure('OUTSIDE', `${path} is a link that leads outside of ${folder}`);
}

/** Also when the backend has refused it: a link that leads out of the whole session. */
export function leadsOutside(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'OUTSIDE' || code === 'EACCES';
}

export function checkSize(name: string, content: string | Uint8Array, maxBytes: number): void {
  const bytes = Buffer.byteLength(content);
  if (bytes <= maxBytes) return;
  const message = `${name} has ${bytes} bytes; an artifact of its kind has at most ${maxBytes}`;
  throw new StorageFailure('TOO_LARGE', message);
}
