import { lstat, mkdtemp, readdir, readFile, realpath, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { errorCode } from '../fs/errnoFailure.js';
import { registeredNames, TEMP_REGISTER } from './tempFiles.js';

export interface TempRootOptions {
  readonly stateRoot: string;
  /** Where it is made. Defaults to the operating system's folder. */
  readonly parent?: string;
  readonly keep?: boolean;
  readonly onError: (error: unknown) => void;
}

const RECORD = 'temp-folder';
const PREFIX = 'agenthost-';

/**
 * The folder for the temporary files of all local sessions of one run of the host. The state root says where it is, so that
 * the next host finds remaining files when this one is killed.
 */
export class TempRoot {
  readonly path: string;
  readonly #options: TempRootOptions;

  static async open(options: TempRootOptions): Promise<TempRoot> {
    if (!options.keep) await removeLeftovers(options).catch(options.onError);
    const parent = options.parent ?? tmpdir();
    const path = await mkdtemp(join(parent, PREFIX))
      .then((made) => realpath(made))
      .catch((error: unknown) => {
        const why = errorCode(error) ?? String(error);
        throw new Error(
          `No temporary files can be made in ${parent} (${why}). Set TMPDIR to a folder where they can.`,
          {
            cause: error,
          },
        );
      });
    await writeFile(join(options.stateRoot, RECORD), path, { mode: 0o600 });
    return new TempRoot(path, options);
  }

  private constructor(path: string, options: TempRootOptions) {
    this.path = path;
    this.#options = options;
  }

  /** Foreign files stay, and then so does the folder. */
  async dispose(): Promise<void> {
    if (this.#options.keep) return;
    await removeIfEmpty(this.path).catch(this.#options.onError);
    await rm(join(this.#options.stateRoot, RECORD), { force: true }).catch(this.#options.onError);
  }
}

async function removeLeftovers({ stateRoot, onError }: TempRootOptions): Promise<void> {
  const path = await readFile(join(stateRoot, RECORD), 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (path === undefined || !(await isOurs(path))) return;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeRegistered(join(path, entry.name)).catch(onError);
  }
  await removeIfEmpty(path);
}

/** The folder of one session. */
async function removeRegistered(folder: string): Promise<void> {
  const register = join(folder, TEMP_REGISTER);
  const names = await readFile(register, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  for (const name of registeredNames(names)) await rm(join(folder, name), { recursive: true, force: true });
  await rm(register, { force: true });
  await removeIfEmpty(folder);
}

/** Temporary folders are open to all users: another user may have put a file under this name. */
async function isOurs(path: string): Promise<boolean> {
  if (!isAbsolute(path) || !basename(path).startsWith(PREFIX)) return false;
  try {
    const found = await lstat(path);
    return found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function removeIfEmpty(path: string): Promise<void> {
  await rmdir(path).catch((error: unknown) => {
    const code = errorCode(error);
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw error;
  });
}
