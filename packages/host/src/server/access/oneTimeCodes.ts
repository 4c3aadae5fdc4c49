import { createHash, randomBytes } from 'node:crypto';

/** A browser that has to be started, and a person who has to find a phone, may take a while. */
const VALID_MS = 10 * 60_000;
const CODE_BYTES = 18;

export interface CodeRecord<T> {
  /** By the clock of the store. */
  readonly expiresAt: number;
  readonly isUsed?: true;
  readonly value: T;
}

/** Where codes are kept, by their hash. It has a limit of its own; the oldest are forgotten. */
export interface CodeStore<T> {
  /** In milliseconds; the same clock for all that use the store. */
  now(): number;
  get(key: string): Promise<CodeRecord<T> | undefined>;
  /** Puts `after` in the place of `before`; `undefined` stands for no record. False when something else is there. */
  replace(key: string, before: CodeRecord<T> | undefined, after: CodeRecord<T> | undefined): Promise<boolean>;
}

export type FoundCode<T> =
  | { readonly state: 'waiting'; readonly value: T; readonly validMs: number }
  | { readonly state: 'used'; readonly value: T }
  | { readonly state: 'expired' }
  | { readonly state: 'unknown' };

/** Codes that work once, within ten minutes. Only their hashes are kept. */
export class OneTimeCodes<T> {
  readonly #store: CodeStore<T>;

  constructor(store: CodeStore<T>) {
    this.#store = store;
  }

  async put(code: string, value: T): Promise<{ readonly key: string; readonly validMs: number }> {
    const key = keyOf(code);
    await this.#store.replace(key, undefined, { expiresAt: this.#store.now() + VALID_MS, value });
    return { key, validMs: VALID_MS };
  }

  async find(key: string): Promise<FoundCode<T>> {
    return this.#judge(await this.#store.get(key));
  }

  /** Changes what a code that waits stands for. */
  change(key: string, change: (value: T) => T): Promise<FoundCode<T>> {
    return this.#replace(key, (record) => ({ ...record, value: change(record.value) }));
  }

  /** Uses a code up: of any number of callers, exactly one gets `waiting`. */
  take(key: string, change: (value: T) => T = (value) => value): Promise<FoundCode<T>> {
    return this.#replace(key, (record) => ({ ...record, isUsed: true, value: change(record.value) }));
  }

  async remove(key: string): Promise<void> {
    await this.#store.replace(key, await this.#store.get(key), undefined);
  }

  /** Returns what was there before. Tries again when another caller was faster: each of these has changed the record. */
  async #replace(key: string, change: (record: CodeRecord<T>) => CodeRecord<T>): Promise<FoundCode<T>> {
    for (;;) {
      const record = await this.#store.get(key);
      const found = this.#judge(record);
      if (!record || found.state !== 'waiting') return found;
      if (await this.#store.replace(key, record, change(record))) return found;
    }
  }

  #judge(record: CodeRecord<T> | undefined): FoundCode<T> {
    if (!record) return { state: 'unknown' };
    if (record.isUsed) return { state: 'used', value: record.value };
    const validMs = record.expiresAt - this.#store.now();
    return validMs > 0 ? { state: 'waiting', value: record.value, validMs } : { state: 'expired' };
  }
}

/** Codes of this process. What expired is kept until others need its place, so that it can be called expired. */
export class MemoryCodes<T> implements CodeStore<T> {
  static readonly MAX = 16;
  readonly now: () => number;
  readonly #records = new Map<string, CodeRecord<T>>();

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  async get(key: string): Promise<CodeRecord<T> | undefined> {
    return this.#records.get(key);
  }

  async replace(key: string, before: CodeRecord<T> | undefined, after: CodeRecord<T> | undefined): Promise<boolean> {
    if (this.#records.get(key) !== before) return false;
    if (after) this.#records.set(key, after);
    else this.#records.delete(key);
    if (this.#records.size > MemoryCodes.MAX) this.#dropOne();
    return true;
  }

  /** One that no longer works, or else the oldest. */
  #dropOne(): void {
    const isOver = ({ isUsed, expiresAt }: CodeRecord<T>) => isUsed === true || expiresAt <= this.now();
    const all = [...this.#records];
    const [dropped] = all.find(([, record]) => isOver(record)) ?? all[0] ?? [];
    if (dropped !== undefined) this.#records.delete(dropped);
  }
}

/** At least 128 bits, and letters that a link may have. */
export function newCode(): string {
  return randomBytes(CODE_BYTES).toString('base64url');
}

export function keyOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
