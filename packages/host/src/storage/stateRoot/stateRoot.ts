import { chmod, mkdir, opendir, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorMessage, isSessionId } from '@agenthost/protocol/internal';
import { errorCode } from '../fs/errnoFailure.js';
import { SESSION_STATE_FOLDER } from '../fs/sessionFolder.js';
import { removeDrafts } from '../fs/writePrivateFile.js';
import { HostLock, LockHeldError } from './hostLock.js';
import { MIGRATIONS, type Migration } from './migrations.js';
import { MigrationError, runMigrations } from './runMigrations.js';
import { NoRoomError } from './stateBackup.js';
import { KERNEL_LOCK_FILE, LOCK_FILE, resolveStateRoot, type StateRootPlace } from './stateRootPath.js';
import { FIRST_VERSION, readStateVersion, writeStateVersion } from './stateVersion.js';

export interface StateRootOptions extends StateRootPlace {
  readonly url?: string;
  readonly warn?: (message: string) => void;
  /** The steps that migrate an older version. */
  readonly migrations?: readonly Migration[];
}

/** The state root cannot be used: it is not a folder, not writable, or of a newer version. */
export class StateRootFailure extends Error {
  readonly code: string;
  readonly what: string;
  readonly whatToDo = 'Choose another with --state-dir or $AGENTHOST_HOME.';

  constructor(code: string, path: string, reason: string, options?: ErrorOptions) {
    super(undefined, options);
    this.name = 'StateRootFailure';
    this.code = code;
    this.what = `The state folder ${path} can't be used: ${reason}.`;
    this.message = `${this.what} ${this.whatToDo}`;
  }
}

/** The folder with everything that outlives the host. One host at a time uses it. */
export class StateRoot {
  readonly path: string;
  readonly lock: HostLock;

  static async open(options: StateRootOptions): Promise<StateRoot> {
    const wanted = resolveStateRoot(options);
    const { migrations = MIGRATIONS, warn } = options;
    const newest = FIRST_VERSION + migrations.length;
    let lock: HostLock | undefined;
    try {
      await makeFolder(wanted);
      const path = await realpath(wanted);
      const isOurs = (await readVersion(path, newest)) !== undefined;
      await closeToOthers(path, isOurs, warn);
      lock = await HostLock.take(join(path, LOCK_FILE), {
        kernelPath: join(path, KERNEL_LOCK_FILE),
        ...(options.url !== undefined && { url: options.url }),
      });
      await removeDrafts(path);
      // Another host may have changed it since.
      const version = await readVersion(path, newest);
      if (version === undefined) await writeStateVersion(path, newest);
      else await runMigrations(path, version, migrations, warn);
      await makeFolder(join(path, SESSION_STATE_FOLDER));
      return new StateRoot(path, lock);
    } catch (error) {
      await lock?.release();
      throw toStateRootFailure(error, wanted);
    }
  }

  private constructor(path: string, lock: HostLock) {
    this.path = path;
    this.lock = lock;
  }

  /** One by one, because there may be very many. Anything that can't be a session is skipped. */
  async *listSessionIds(): AsyncGenerator<string> {
    for await (const entry of await opendir(join(this.path, SESSION_STATE_FOLDER))) {
      if (entry.isDirectory() && isSessionId(entry.name)) yield entry.name;
    }
  }

  async dispose(): Promise<void> {
    await this.lock.release();
  }
}

/** Not Node's own `recursive`: when a system answers ENOENT in an existing folder, as in /proc, it never ends. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}

/** Refuses an unknown version before anything is changed. */
async function readVersion(path: string, known: number): Promise<number | undefined> {
  const version = await readStateVersion(path);
  if (typeof version === 'string' || (version !== undefined && version < FIRST_VERSION)) {
    const text = JSON.stringify(String(version).slice(0, 40));
    throw new StateRootFailure('BAD_VERSION', path, `its version file says ${text}`);
  }
  if (version !== undefined && version > known) {
    const reason = `it was written by a newer agenthost (version ${version}; this one knows ${known}), so update this one`;
    throw new StateRootFailure('NEWER_VERSION', path, reason);
  }
  return version;
}

/** A foreign folder is never changed: only ours, which is empty or has our version file. */
async function closeToOthers(path: string, isOurs: boolean, warn?: (message: string) => void): Promise<void> {
  const { mode, uid } = await stat(path);
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  const octal = (mode & 0o7777).toString(8);
  const mayChange = uid === process.getuid?.() && (isOurs || (await readdir(path)).length === 0);
  if (mayChange) {
    await chmod(path, 0o700);
    warn?.(`${path} was open to other users (mode ${octal}); it is closed to them now (700)`);
  } else if ((mode & 0o022) !== 0) {
    throw new StateRootFailure('TOO_OPEN', path, `other users may write to it (mode ${octal})`);
  } else {
    warn?.(`${path} can be read by other users (mode ${octal}); chmod 700 closes it to them`);
  }
}

function toStateRootFailure(error: unknown, path: string): StateRootFailure {
  if (error instanceof StateRootFailure) return error;
  if (error instanceof LockHeldError) return new StateRootFailure(error.code, path, error.message, { cause: error });
  if (error instanceof MigrationError || error instanceof NoRoomError) {
    return new StateRootFailure(error.name === 'NoRoomError' ? 'NO_ROOM' : 'NOT_MIGRATED', path, error.message, {
      cause: error,
    });
  }
  const code = errorCode(error) ?? 'UNKNOWN';
  return new StateRootFailure(code, path, REASONS[code] ?? errorMessage(error), {
    cause: error,
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'you may not write to it (EACCES)',
  EPERM: 'you may not write to it (EPERM)',
  EROFS: 'it is on a read-only file system (EROFS)',
  ENOSPC: 'the disk is full (ENOSPC)',
  EDQUOT: 'your disk quota is used up (EDQUOT)',
  ENOENT: 'it can not be made there (ENOENT)',
  ENOTDIR: 'a part of its path is a file, not a folder (ENOTDIR)',
  EEXIST: 'there is a file of that name (EEXIST)',
  ELOOP: 'its path has links that lead to themselves (ELOOP)',
};
