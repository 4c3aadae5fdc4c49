import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { writePrivateFile } from '../storage/fs/writePrivateFile.js';
import { KEY_MS, type KeyRecord, type KeyStore, MAX_KEYS } from './keyStore.js';

export const API_KEYS_FILE = 'apiKeys.jsonl';
/** Lines that are parsed in one go. */
const SLICE = 1_000;

/** In the state folder: a line for each change, rewritten when most of them are out of date. */
export class KeyFile implements KeyStore {
  readonly isShared = false;
  readonly #path: string;
  readonly #maxKeys: number;
  /** The oldest first. */
  readonly #records = new Map<string, KeyRecord>();
  #lines = 0;
  #opened: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(stateRoot: string, maxKeys = MAX_KEYS) {
    this.#path = join(stateRoot, API_KEYS_FILE);
    this.#maxKeys = maxKeys;
  }

  async claim(id: string, record: KeyRecord): Promise<KeyRecord | undefined> {
    await this.#open();
    this.#forgetOld();
    const known = this.#records.get(id);
    if (known) return known;
    await this.#set(id, record);
    return undefined;
  }

  async put(id: string, record: KeyRecord): Promise<void> {
    await this.#open();
    await this.#set(id, record);
  }

  async remove(id: string): Promise<void> {
    await this.#open();
    if (this.#records.delete(id)) await this.#write([id]);
  }

  async #set(id: string, record: KeyRecord): Promise<void> {
    this.#records.set(id, record);
    if (this.#records.size > this.#maxKeys) {
      const [oldest] = this.#records.keys();
      if (oldest !== undefined) this.#records.delete(oldest);
    }
    await this.#write([id, record]);
  }

  #forgetOld(): void {
    for (const [id, { at }] of this.#records) {
      if (Date.now() - at < KEY_MS) return;
      this.#records.delete(id);
    }
  }

  #open(): Promise<void> {
    this.#opened ??= this.#read().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #read(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return '';
    });
    const lines = text.split('\n');
    for (const [n, line] of lines.entries()) {
      if (n % SLICE === SLICE - 1) await nextTick();
      const [id, record] = parseLine(line);
      if (id === undefined) continue;
      if (record) this.#records.set(id, record);
      else this.#records.delete(id);
    }
    this.#lines = lines.length;
    // A line that a killed host left unfinished must not swallow the next one.
    if (text !== '' && !text.endsWith('\n')) await appendFile(this.#path, '\n');
  }

  #write(line: readonly [string, KeyRecord?]): Promise<void> {
    const written = this.#writing.then(async () => {
      this.#lines++;
      if (this.#lines > 3 * this.#records.size + SLICE) return this.#rewrite();
      await appendFile(this.#path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    });
    this.#writing = written.catch(() => {});
    return written;
  }

  async #rewrite(): Promise<void> {
    const lines = [...this.#records].map((entry) => `${JSON.stringify(entry)}\n`);
    await writePrivateFile(this.#path, lines.join(''));
    this.#lines = lines.length;
  }
}

function parseLine(line: string): readonly [id?: string, record?: KeyRecord | undefined] {
  if (line === '') return [];
  try {
    const value: unknown = JSON.parse(line);
    if (!Array.isArray(value) || typeof value[0] !== 'string') return [];
    const record = value[1] as KeyRecord | undefined;
    return record === undefined || typeof record.fingerprint === 'string' ? [value[0], record] : [];
  } catch {
    return [];
  }
}
