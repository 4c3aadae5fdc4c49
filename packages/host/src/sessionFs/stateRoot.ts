import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, opendir, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isSessionId } from '@agenthost/protocol';
import { errorCode } from './errnoFailure.js';
import { HostLock, LockHeldError } from './hostLock.js';
import { SESSION_STATE_FOLDER } from './sessionFolder.js';

const VERSION = 1;
export const LOCK_FILE = 'host.lock';
const VERSION_FILE = 'version';

export interface StateRootPlace {
  /** What the user asked for; before everything else. */
  readonly path?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
}

export interface StateRootOptions extends StateRootPlace {
  readonly url?: string;
  readonly warn?: (message: string) => void;
}

export class StateRootFailure extends Error {
  readonly code: string;

  constructor(code: string, path: string, reason: string, options?: ErrorOptions) {
    super(
      `The state folder ${path} can't be used: ${reason}. Choose another with --state-dir or $AGENTHOST_HOME.`,
      options,
    );
    this.name = 'StateRootFailure';
    this.code = code;
  }
}

/** Where the host keeps what it keeps. */
export function resolveStateRoot({ path, env, home }: StateRootPlace): string {
  const asked = path || env['AGENTHOST_HOME'];
  if (asked) return resolve(asked);
  const xdg = env['XDG_STATE_HOME'];
  // The specification: a relative path in there is to be ignored.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'agenthost');
  return join(home ?? homedir(), '.agenthost');
}

/** The folder with everything that outlives the host. One host at a time has it. */
export class StateRoot {
  readonly path: string;
  readonly lock: HostLock;

  static async open(options: StateRootOptions): Promise<StateRoot> {
    const wanted = resolveStateRoot(options);
    let lock: HostLock | undefined;
    try {
      await makeFolder(wanted);
      const path = await realpath(wanted);
      const version = await readVersion(path);
      await closeToOthers(path, version !== undefined, options.warn);
      lock = await HostLock.take(join(path, LOCK_FILE), options.url === undefined ? {} : { url: options.url });
      if (version === undefined) await writeVersion(path);
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

  /** As they come: there may be very many. Everything that can't be a session is passed over. */
  async *listSessionIds(): AsyncGenerator<string> {
    for await (const entry of await opendir(join(this.path, SESSION_STATE_FOLDER))) {
      if (entry.isDirectory() && isSessionId(entry.name)) yield entry.name;
    }
  }

  async dispose(): Promise<void> {
    await this.lock.release();
  }
}

/** Not Node's own `recursive`: where a system says ENOENT in a folder that exists, as in /proc, that one never ends. */
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

async function readVersion(path: string): Promise<number | undefined> {
  let text: string;
  try {
    text = await readFile(join(path, VERSION_FILE), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const version = /^\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
  if (version === undefined) {
    throw new StateRootFailure('BAD_VERSION', path, `its version file says ${JSON.stringify(text.slice(0, 40))}`);
  }
  if (version > VERSION) {
    const reason = `it was written by a newer agenthost (version ${version}; this one knows ${VERSION}), so update this one`;
    throw new StateRootFailure('NEWER_VERSION', path, reason);
  }
  return version;
}

async function writeVersion(path: string): Promise<void> {
  const draft = join(path, `${VERSION_FILE}.${randomUUID()}.tmp`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${VERSION}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(path, VERSION_FILE)).catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });
}

/** A folder that is somebody's own is never changed: only ours, which is empty or has our version file. */
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
  const code = errorCode(error) ?? 'UNKNOWN';
  return new StateRootFailure(code, path, REASONS[code] ?? (error instanceof Error ? error.message : String(error)), {
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
