import { appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEntry } from '@agenthost/protocol';
import { SCHEMAS } from '@agenthost/protocol/schemas';
import type { AuditPage, AuditQuery, AuditStore, StoredAuditEntry } from './auditStore.js';

export const AUDIT_FOLDER = 'audit';
/** One file is read for a page: it must not take long to parse. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_FILES = 16;
const FILE_NAME = /^(\d{8})\.jsonl$/;
const NEW_LINE = 10;
const CURSOR = /^(\d{1,8})-(\d{1,7})$/;

/** In the state folder: numbered files of lines, readable only by the host's user. */
export class AuditFolder implements AuditStore {
  readonly #path: string;
  #end: { number: number; bytes: number } | undefined;

  constructor(stateRoot: string) {
    this.#path = join(stateRoot, AUDIT_FOLDER);
  }

  /** One call after the other; only the host that holds the state folder writes. */
  async append(entries: readonly StoredAuditEntry[]): Promise<void> {
    this.#end ??= await this.#open();
    if (this.#end.bytes >= MAX_FILE_BYTES) await this.#beginFile();
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    await appendFile(this.#file(this.#end.number), lines, { mode: 0o600 });
    this.#end.bytes += Buffer.byteLength(lines);
  }

  async read({ space, session, before, limit }: AuditQuery): Promise<AuditPage> {
    const numbers = await this.#numbers();
    const [, file, line] = CURSOR.exec(before ?? '') ?? [];
    const number = file === undefined ? numbers.at(-1) : numbers.findLast((one) => one <= Number(file));
    if (number === undefined) return { items: [] };
    const text = await readFile(this.#file(number), 'utf8').catch(ignoreMissing);
    const lines = (text ?? '').split('\n');
    const items: AuditEntry[] = [];
    let at = file !== undefined && number === Number(file) ? Math.min(Number(line), lines.length) : lines.length;
    while (at > 0 && items.length < limit) {
      const entry = parseLine(lines[--at] ?? '');
      if (entry?.space !== space || (session !== undefined && entry.session !== session)) continue;
      const { space: _, ...shown } = entry;
      items.push(shown);
    }
    const older = numbers.findLast((one) => one < number);
    const next = at > 0 ? `${number}-${at}` : older === undefined ? undefined : `${older}-${MAX_LINE}`;
    return { items, ...(next !== undefined && { nextCursor: next }) };
  }

  #file(number: number): string {
    return join(this.#path, `${String(number).padStart(8, '0')}.jsonl`);
  }

  async #open(): Promise<{ number: number; bytes: number }> {
    await mkdir(this.#path, { recursive: true, mode: 0o700 });
    const number = (await this.#numbers()).at(-1) ?? 1;
    const text = await readFile(this.#file(number)).catch(ignoreMissing);
    const bytes = text?.length ?? 0;
    // A line that a killed host left unfinished ends here, and readers skip it.
    if (text && bytes > 0 && text[bytes - 1] !== NEW_LINE) await appendFile(this.#file(number), '\n');
    return { number, bytes };
  }

  async #beginFile(): Promise<void> {
    if (!this.#end) return;
    this.#end = { number: this.#end.number + 1, bytes: 0 };
    const oldest = this.#end.number - MAX_FILES;
    for (const old of (await this.#numbers()).filter((number) => number <= oldest))
      await rm(this.#file(old), { force: true });
  }

  /** Oldest first. */
  async #numbers(): Promise<readonly number[]> {
    const names = (await readdir(this.#path).catch(ignoreMissing)) ?? [];
    return names
      .flatMap((name) => Number(FILE_NAME.exec(name)?.[1] ?? Number.NaN))
      .filter(Number.isInteger)
      .sort((a, b) => a - b);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** More lines than a file can have. */
const MAX_LINE = 9_999_999;

function parseLine(line: string): StoredAuditEntry | undefined {
  if (line === '') return undefined;
  try {
    const value: unknown = JSON.parse(line);
    const { success, data } = SCHEMAS.AuditEntry.safeParse(value);
    const { space } = value as { readonly space?: unknown };
    return success && typeof space === 'string' ? { ...data, space } : undefined;
  } catch {
    return undefined;
  }
}
