import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from '../../storage/fs/writePrivateFile.js';

const FILE = 'token-use.json';
/** Many connections at once cause one write. */
const GATHER_MS = 500;

/** When each token was last used, by its id. Only the host that holds the state root writes it. */
export class TokenUse {
  readonly #path: string;
  readonly #onError: (error: unknown) => void;
  readonly #usedAt = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  static async read(stateRoot: string): Promise<ReadonlyMap<string, number>> {
    try {
      const stored = JSON.parse(await readFile(join(stateRoot, FILE), 'utf8')) as Record<string, unknown>;
      const times = Object.entries(stored).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
      return new Map(times);
    } catch {
      // A failure is ignored: only a time is lost.
      return new Map();
    }
  }

  static async open(stateRoot: string, onError: (error: unknown) => void): Promise<TokenUse> {
    const use = new TokenUse(stateRoot, onError);
    for (const [id, at] of await TokenUse.read(stateRoot)) use.#usedAt.set(id, at);
    return use;
  }

  private constructor(stateRoot: string, onError: (error: unknown) => void) {
    this.#path = join(stateRoot, FILE);
    this.#onError = onError;
  }

  used(id: string): void {
    this.#usedAt.set(id, Date.now());
    this.#timer ??= setTimeout(() => this.#write(), GATHER_MS).unref();
  }

  async all(): Promise<ReadonlyMap<string, number>> {
    return new Map(this.#usedAt);
  }

  /** Removes tokens that no longer exist. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#usedAt.keys()) if (!ids.has(id)) this.#usedAt.delete(id);
  }

  /** Writes pending changes. */
  async dispose(): Promise<void> {
    if (this.#timer) this.#write();
    await this.#writing;
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = `${JSON.stringify(Object.fromEntries(this.#usedAt))}\n`;
    this.#writing = this.#writing.then(() => writePrivateFile(this.#path, text)).catch(this.#onError);
  }
}
