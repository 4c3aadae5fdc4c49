import { isSessionId } from '@agenthost/protocol/internal';
import { errorCode } from '../fs/errnoFailure.js';
import { replaceFile } from '../fs/replaceFile.js';
import type { SessionFs } from '../fs/sessionFs.js';

const LIST_FILE = 'sessions.txt';
/** When the file has this many lines beyond twice the number of sessions, it is rewritten. */
const MAX_STALE_LINES = 1_000;

/**
 * The ids of sessions in one file, for a backend without a listing: a line for each that was added (`+id`) or removed (`-id`).
 * It may name a session that doesn't exist, but never misses one if every change was awaited.
 */
export class SessionList {
  readonly #fs: SessionFs;
  readonly #path: string;
  readonly #ids: Set<string>;
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects when the file can't be read: then it must not be written either. */
  static async open(fs: SessionFs): Promise<SessionList> {
    const folder = fs.sessionStatePath ?? fs.tmpdir;
    const path = fs.join(folder, LIST_FILE);
    const text = await fs.readFile(path).catch(async (error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      await fs.mkdir(folder, { recursive: true });
      return '';
    });
    const ids = new Set<string>();
    const lines = text.split('\n');
    for (const line of lines) {
      const id = line.slice(1);
      if (!isSessionId(id)) continue;
      if (line.startsWith('+')) ids.add(id);
      else if (line.startsWith('-')) ids.delete(id);
    }
    if (lines.length > 2 * ids.size + MAX_STALE_LINES) {
      await replaceFile(fs, path, [...ids].map((id) => `+${id}\n`).join(''));
    }
    return new SessionList(fs, path, ids);
  }

  private constructor(fs: SessionFs, path: string, ids: Set<string>) {
    this.#fs = fs;
    this.#path = path;
    this.#ids = ids;
  }

  get ids(): readonly string[] {
    return [...this.#ids];
  }

  /** Resolves when it is stored. */
  async add(sessionId: string): Promise<void> {
    if (this.#ids.has(sessionId)) return this.#inTurn(async () => {});
    this.#ids.add(sessionId);
    await this.#note(`+${sessionId}`).catch((error: unknown) => {
      this.#ids.delete(sessionId);
      throw error;
    });
  }

  async remove(sessionId: string): Promise<void> {
    if (this.#ids.delete(sessionId)) await this.#note(`-${sessionId}`);
  }

  /** Starts a new line, also behind one that was cut off. */
  #note(line: string): Promise<void> {
    return this.#inTurn(() => this.#fs.appendFile(this.#path, `\n${line}\n`));
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    await done;
  }
}
