import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { isSameProcess, processStart } from '../../processes/processStat.js';
import { errorCode } from '../fs/errnoFailure.js';
import { KernelLock } from './kernelLock.js';
import { type LockHolder, parseLockHolder } from './lockHolder.js';

/** Another host uses the state root. */
export class LockHeldError extends Error {
  readonly code = 'LOCKED';
  readonly holder: LockHolder | undefined;

  constructor(path: string, holder: LockHolder | undefined) {
    super(holder ? describe(path, holder) : `${path} is being taken by another host; if none runs, remove it`);
    this.name = 'LockHeldError';
    this.holder = holder;
  }
}

/** How many hosts may have died one after the other while each took over from the one before. */
const MAX_DEPTH = 4;
/** A lock file without content is being written, or was left by a power cut. */
const FRESH_MS = 10_000;

export interface TakeLockOptions {
  readonly url?: string;
  readonly now?: number;
  /** A file to lock with a `KernelLock` as well: a host in another container can't see the process that holds this lock. */
  readonly kernelPath?: string;
}

/** A file that says which host uses the state root. It is taken atomically; that of a dead process is taken over. */
export class HostLock {
  readonly path: string;
  /** Whether the previous holder left it behind without a clean stop. */
  readonly tookOver: boolean;
  readonly #kernel: KernelLock | undefined;
  #holder: LockHolder;
  #released = false;

  static async take(path: string, options: TakeLockOptions = {}): Promise<HostLock> {
    const kernel = options.kernelPath === undefined ? undefined : KernelLock.take(options.kernelPath);
    if (kernel === 'held') throw new LockHeldError(path, await writtenHolder(path));
    try {
      return await HostLock.#take(path, options, kernel);
    } catch (error) {
      kernel?.release();
      throw error;
    }
  }

  static async #take(path: string, options: TakeLockOptions, kernel: KernelLock | undefined): Promise<HostLock> {
    const start = await processStart(process.pid);
    const holder: LockHolder = {
      pid: process.pid,
      startedAt: options.now ?? Date.now(),
      instanceId: randomUUID(),
      ...(options.url !== undefined && { url: options.url }),
      ...(start !== undefined && { processStart: start }),
      machine: hostname(),
    };
    const tookOver = await takeFile(path, holder, 0);
    return new HostLock(path, holder, tookOver, kernel);
  }

  private constructor(path: string, holder: LockHolder, tookOver: boolean, kernel: KernelLock | undefined) {
    this.path = path;
    this.#kernel = kernel;
    this.#holder = holder;
    this.tookOver = tookOver;
  }

  get holder(): LockHolder {
    return this.#holder;
  }

  /** For a host that is refused: the address of the host that holds the lock. */
  async update(changes: Pick<LockHolder, 'url' | 'publicUrl' | 'hasGivenToken'>): Promise<void> {
    if (this.#released) return;
    this.#holder = { ...this.#holder, ...changes };
    await withDraft(this.path, this.#holder, (draft) => rename(draft, this.path));
  }

  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    await releaseFile(this.path, this.#holder);
    this.#kernel?.release();
  }
}

/**
 * A stale lock may be replaced only by the one process that holds the lock on replacing exactly that one, a file named after
 * its instance. This is a lock like any other, and may itself be left behind by a process that died while it held it.
 * Returns whether it replaced one.
 */
async function takeFile(path: string, holder: LockHolder, depth: number): Promise<boolean> {
  for (;;) {
    if (await create(path, holder)) return false;
    const found = await read(path);
    if (found === 'missing') continue;
    if (found === 'fresh' || depth >= MAX_DEPTH) throw new LockHeldError(path, undefined);
    if (found !== 'empty' && (await isAlive(found))) throw new LockHeldError(path, found);
    const claim = `${path}.${found === 'empty' ? 'empty' : found.instanceId}`;
    const claimant = { ...holder, instanceId: randomUUID().slice(0, 13) };
    await takeFile(claim, claimant, depth + 1);
    try {
      if (!isSame(await read(path), found)) continue;
      await withDraft(path, holder, (draft) => rename(draft, path));
      return true;
    } finally {
      await releaseFile(claim, claimant);
    }
  }
}

/** A draft is linked to the name, so that readers always find a complete lock. */
async function create(path: string, holder: LockHolder): Promise<boolean> {
  try {
    await withDraft(path, holder, (draft) => link(draft, path));
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return false;
    // File systems without hard links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EOPNOTSUPP') throw error;
  }
  try {
    await writeFile(path, JSON.stringify(holder), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function withDraft(path: string, holder: LockHolder, use: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, `${JSON.stringify(holder)}\n`, { flag: 'wx', mode: 0o600 });
    await use(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

/** The living holder of a lock; none when it is free or was left behind. */
export async function readLockHolder(path: string): Promise<LockHolder | undefined> {
  const found = await read(path);
  return typeof found === 'object' && (await isAlive(found)) ? found : undefined;
}

/** Reads the holder from the lock file without checking that its process runs. */
async function writtenHolder(path: string): Promise<LockHolder | undefined> {
  const found = await read(path);
  return typeof found === 'object' ? found : undefined;
}

async function releaseFile(path: string, holder: LockHolder): Promise<void> {
  const found = await read(path).catch(() => undefined);
  if (typeof found === 'object' && found.instanceId === holder.instanceId) await rm(path, { force: true });
}

async function read(path: string): Promise<LockHolder | 'missing' | 'fresh' | 'empty'> {
  try {
    const holder = parseLockHolder(await readFile(path, 'utf8'));
    if (holder) return holder;
    // A time in the future is not fresh: the clock was set back since, and the writer is gone.
    return Math.abs(Date.now() - (await stat(path)).mtimeMs) < FRESH_MS ? 'fresh' : 'empty';
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'missing';
    throw error;
  }
}

/** Processes of another machine can't be checked: its lock counts until a person removes it. */
async function isAlive(holder: LockHolder): Promise<boolean> {
  return holder.machine !== hostname() || (await isSameProcess(holder.pid, holder.processStart));
}

function isSame(found: Awaited<ReturnType<typeof read>>, before: LockHolder | 'empty'): boolean {
  if (typeof found === 'string' || typeof before === 'string') return found === before;
  return found.instanceId === before.instanceId;
}

function describe(path: string, { pid, startedAt, url, machine }: LockHolder): string {
  const since = new Date(startedAt).toISOString();
  const where = url === undefined ? '' : `, at ${url}`;
  if (machine === hostname()) return `another host runs here: process ${pid}, since ${since}${where}`;
  return `another host on ${machine} uses it: process ${pid}, since ${since}${where}; if it no longer runs, remove ${path}`;
}
