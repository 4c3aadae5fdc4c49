import { randomUUID } from 'node:crypto';
import { link, lstat, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../storage/fs/errnoFailure.js';
import { GitError } from '../gitError.js';
import { copyIndex } from '../workTree.js';

const PREFIX = 'agenthost-index-';
const NAME = /^agenthost-index-(\d{1,10})-[0-9a-f-]{36}$/;
const LOCKED_MS = 5_000;
const PAUSE_MS = 50;
/** A process of the same number may be another one by now. */
const OLD_MS = 10 * 60_000;

/** Those of this process. */
const mine = new Set<string>();

/**
 * The next index of a checkout: made beside it, and put in its place in one step. The lock of git is held for a moment only, and is a
 * link to the new index: one that a killed host left behind is known by that, and removed.
 */
export class NextIndex {
  readonly #gitDir: string;
  readonly #name = `${PREFIX}${process.pid}-${randomUUID()}`;
  #stamp = '';

  private constructor(gitDir: string) {
    this.#gitDir = gitDir;
    mine.add(this.#name);
  }

  /** A copy of the index as it is. `remove` it in any case. */
  static async begin(gitDir: string): Promise<NextIndex> {
    await removeLeftOver(gitDir);
    const next = new NextIndex(gitDir);
    next.#stamp = await stampOf(join(gitDir, 'index'));
    await copyIndex(join(gitDir, 'index'), next.file);
    return next;
  }

  get file(): string {
    return join(this.#gitDir, this.#name);
  }

  /** `false` if the index has changed since it was copied: then begin again. */
  async install(): Promise<boolean> {
    const lock = join(this.#gitDir, 'index.lock');
    await this.#takeLock(lock);
    let isTaken = true;
    try {
      if ((await stampOf(join(this.#gitDir, 'index'))) !== this.#stamp) return false;
      await rename(lock, join(this.#gitDir, 'index'));
      isTaken = false;
      return true;
    } finally {
      if (isTaken) await rm(lock, { force: true });
    }
  }

  async remove(): Promise<void> {
    await rm(this.file, { force: true });
    await rm(`${this.file}.lock`, { force: true });
    mine.delete(this.#name);
  }

  async #takeLock(lock: string): Promise<void> {
    const until = performance.now() + LOCKED_MS;
    for (;;) {
      try {
        await link(this.file, lock);
        return;
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
      if (performance.now() > until) {
        throw new GitError(
          'busy',
          `Another git works in this checkout. Wait for its end; if there is none, remove ${lock} and try again.`,
        );
      }
      await delay(PAUSE_MS);
    }
  }
}

/** What a killed host left behind. Another git's lock stays. */
async function removeLeftOver(gitDir: string): Promise<void> {
  const lock = join(gitDir, 'index.lock');
  for (const entry of await readdir(gitDir)) {
    const name = entry.replace(/\.lock$/, '');
    const [, pid] = NAME.exec(name) ?? [];
    if (pid === undefined || mine.has(name) || (await isAlive(Number(pid), join(gitDir, entry)))) continue;
    const [left, locked] = await Promise.all([lstat(join(gitDir, entry)), lstat(lock)].map(orAbsent));
    if (left && locked && left.ino === locked.ino && left.dev === locked.dev) await rm(lock, { force: true });
    await rm(join(gitDir, entry), { force: true });
  }
}

async function isAlive(pid: number, file: string): Promise<boolean> {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
  }
  const found = await orAbsent(lstat(file));
  return found !== undefined && Date.now() - found.ctimeMs < OLD_MS;
}

function orAbsent<T>(found: Promise<T>): Promise<T | undefined> {
  return found.catch(() => undefined);
}

async function stampOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found ? `${found.ino}.${found.size}.${found.mtimeNs}` : 'none';
}
