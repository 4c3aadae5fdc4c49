import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostLog } from '../hostLog.js';
import { errorCode } from '../storage/fs/errnoFailure.js';
import { writePrivateFile } from '../storage/fs/writePrivateFile.js';

const FILE = 'trust.json';
/** More than people answer by hand; beyond it, the oldest are asked about again. */
const MAX_FOLDERS = 2_000;

/** The folders whose own configuration may run something. Trust is for one folder by its real path, neither for those above it nor for those below. */
export interface WorkspaceTrust {
  isTrusted(folder: string): Promise<boolean>;
  /** Resolves when the folder is stored and listeners were called. */
  trust(folder: string): Promise<void>;
  /** Called when a folder is trusted; must not throw. */
  onTrusted(listener: (folder: string) => void): { dispose(): void };
}

/** The trusted folders in a file of the state root. */
export class TrustFile implements WorkspaceTrust {
  readonly #path: string;
  readonly #log: HostLog;
  /** Includes those that could not be stored: the answer was given. */
  readonly #unstored = new Set<string>();
  readonly #listeners = new Set<(folder: string) => void>();
  #writing: Promise<void> = Promise.resolve();

  constructor(stateRoot: string, log: HostLog) {
    this.#path = join(stateRoot, FILE);
    this.#log = log;
  }

  /** Reads the file each time, so that an entry that a user removed is no longer trusted. */
  async isTrusted(folder: string): Promise<boolean> {
    return this.#unstored.has(folder) || (await this.#read()).includes(folder);
  }

  /** The oldest first. */
  list(): Promise<readonly string[]> {
    return this.#read();
  }

  async trust(folder: string): Promise<void> {
    this.#unstored.add(folder);
    for (const listener of [...this.#listeners]) listener(folder);
    this.#writing = this.#writing.then(() => this.#add(folder));
    await this.#writing;
  }

  onTrusted(listener: (folder: string) => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  async #add(folder: string): Promise<void> {
    try {
      const others = (await this.#read()).filter((path) => path !== folder);
      const folders = [...others, folder].slice(-MAX_FOLDERS);
      await writePrivateFile(this.#path, `${JSON.stringify({ folders }, undefined, 2)}\n`);
      this.#unstored.delete(folder);
    } catch (error) {
      this.#log.error(`${this.#path} could not be written: the folder is trusted until the host ends`, error);
    }
  }

  /** An unreadable file trusts nothing. */
  async #read(): Promise<readonly string[]> {
    try {
      const { folders } = JSON.parse(await readFile(this.#path, 'utf8')) as { folders?: unknown };
      return Array.isArray(folders) ? folders.filter((folder) => typeof folder === 'string') : [];
    } catch (error) {
      if (errorCode(error) !== 'ENOENT')
        this.#log.warn(`${this.#path} can't be read, so that no folder is trusted: ${String(error)}`);
      return [];
    }
  }
}
