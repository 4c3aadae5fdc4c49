import { pathToFileURL } from 'node:url';
import type { ListNativeSessionsParams, ListNativeSessionsResult, NativeSession } from '@agenthost/protocol';
import { DEFAULT_LIST_LIMIT, MAX_ID_LENGTH, MAX_PAGE_BYTES, MAX_URI_LENGTH } from '@agenthost/protocol/internal';
import { settleWithin } from '../settleWithin.js';
import type { NativeLinks } from './nativeLinks.js';
import type { NativeHead, NativePlace, NativeStore } from './nativeStore.js';

export interface NativeRow {
  readonly id: string;
  readonly store: NativeStore;
  readonly place: NativePlace;
}

type Known = { readonly stamp: string; readonly head?: NativeHead; readonly problem?: string };

/** A list that is younger is not made again. */
const FRESH_MS = 1_000;
/** How long a list waits for a newer one. */
const PATIENCE_MS = 25;
/** Files that are read side by side, and rows that one call looks at beyond those that it shows. */
const AT_ONCE = 16;
const MAX_HIDDEN = 500;
const MAX_HEADS = 100_000;
const MAX_REASONS = 10;
/** Somebody works with a conversation that changed within this time. */
export const BUSY_MS = 10_000;

/** The conversations in all stores, newest first. What was read is kept in memory and read again when its file has changed. */
export class NativeList {
  readonly #stores: readonly NativeStore[];
  readonly #links: NativeLinks;
  readonly #now: () => number;
  readonly #heads = new Map<string, Known>();
  #rows: readonly NativeRow[] | undefined;
  #problems: readonly string[] = [];
  #scan: Promise<void> | undefined;
  #scannedAt = Number.NEGATIVE_INFINITY;

  constructor(stores: readonly NativeStore[], links: NativeLinks, now: () => number) {
    this.#stores = stores;
    this.#links = links;
    this.#now = now;
  }

  async list(
    { limit = DEFAULT_LIST_LIMIT, cursor }: ListNativeSessionsParams,
    sessionOf: (uri: string) => Promise<boolean>,
  ): Promise<ListNativeSessionsResult> {
    await this.#refresh();
    const links = await this.#links.all();
    const rows = (this.#rows ?? []).filter(({ id }) => !links.get(id)?.isOurs);
    const first = cursor === undefined ? 0 : afterCursor(rows, cursor);
    const items: NativeSession[] = [];
    let at = first;
    let bytes = 0;
    while (at < rows.length && items.length < limit && at - first < limit + MAX_HIDDEN && bytes < MAX_PAGE_BYTES) {
      const some = rows.slice(at, at + Math.min(AT_ONCE, limit - items.length));
      const heads = await Promise.all(some.map((row) => this.#head(row)));
      for (const [index, row] of some.entries()) {
        const head = heads[index];
        if (!head || head.isHidden) continue;
        const link = links.get(linkId(row, head));
        if (link?.isOurs) continue;
        const isHere = link !== undefined && (await sessionOf(link.session));
        const item = this.#item(row, head, isHere ? link.session : undefined);
        bytes += JSON.stringify(item).length;
        items.push(item);
      }
      at += some.length;
    }
    const last = rows[at - 1];
    const unreadable = this.#unreadable(rows);
    const left = rows.filter((row) => this.#isLeftOut(row)).length;
    return {
      items,
      ...(at < rows.length && last && { nextCursor: cursorOf(last) }),
      total: rows.length - left,
      ...(unreadable.length > 0 && { unreadable }),
    };
  }

  /** A conversation as it is now, with what a list shows of it. */
  async find(id: string): Promise<{ readonly row: NativeRow; readonly head: NativeHead } | undefined> {
    const slash = id.indexOf('/');
    const store = this.#stores.find(({ provider }) => provider === id.slice(0, slash));
    const place = await store?.find(id.slice(slash + 1));
    if (!store || !place) return undefined;
    const row = { id: `${store.provider}/${place.nativeId}`, store, place };
    const head = await store.head(place);
    return head.isHidden ? undefined : { row, head };
  }

  /** A new scan answers when it is fast; otherwise the next call has it. */
  async #refresh(): Promise<void> {
    if (performance.now() - this.#scannedAt < FRESH_MS) return;
    this.#scan ??= this.#scanAll().finally(() => {
      this.#scan = undefined;
    });
    if (this.#rows) await settleWithin(PATIENCE_MS, this.#scan);
    else await this.#scan;
  }

  async #scanAll(): Promise<void> {
    const problems: string[] = [];
    const rows: NativeRow[] = [];
    for (const store of this.#stores) {
      const scan = await store.scan();
      problems.push(...scan.problems);
      for (const place of scan.places) {
        const id = `${store.provider}/${place.nativeId}`;
        if (id.length <= MAX_ID_LENGTH) rows.push({ id, store, place });
      }
    }
    this.#rows = rows.sort(newestFirst);
    this.#problems = problems;
    this.#scannedAt = performance.now();
    if (this.#heads.size <= MAX_HEADS) return;
    this.#heads.clear();
  }

  async #head(row: NativeRow): Promise<NativeHead | undefined> {
    const stamp = stampOf(row.place);
    const known = this.#heads.get(row.id);
    if (known?.stamp === stamp) return known.head;
    try {
      const head = await row.store.head(row.place);
      this.#heads.set(row.id, { stamp, head });
      return head;
    } catch (error) {
      this.#heads.set(row.id, { stamp, problem: reasonOf(error) });
      return undefined;
    }
  }

  #isLeftOut({ id, place }: NativeRow): boolean {
    const known = this.#heads.get(id);
    return known?.stamp === stampOf(place) && (known.head === undefined || known.head.isHidden === true);
  }

  #unreadable(rows: readonly NativeRow[]): { count: number; reason: string }[] {
    const counts = new Map<string, number>(this.#problems.map((problem) => [problem, 1]));
    for (const { id, store } of rows) {
      const problem = this.#heads.get(id)?.problem;
      if (problem === undefined) continue;
      const reason = `${store.agentName}: ${problem}`;
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    return [...counts].slice(0, MAX_REASONS).map(([reason, count]) => ({ count, reason }));
  }

  #item({ id, store, place }: NativeRow, head: NativeHead, session: string | undefined): NativeSession {
    const directory = head.folder?.startsWith('/') ? pathToFileURL(head.folder).href : undefined;
    const age = Math.abs(this.#now() - place.modifiedAt);
    return {
      id,
      provider: store.provider,
      agentName: store.agentName,
      title: head.title,
      ...(directory !== undefined && directory.length <= MAX_URI_LENGTH && { workingDirectory: directory }),
      modifiedAt: place.modifiedAt,
      ...(age < BUSY_MS && { isBusy: true as const }),
      command: store.command(head.nativeId ?? place.nativeId),
      ...(session !== undefined && { session }),
    };
  }
}

/** Links are by whole ids. */
export function linkId({ store, place }: NativeRow, head: NativeHead): string {
  return `${store.provider}/${head.nativeId ?? place.nativeId}`;
}

export function stampOf({ size, modifiedAt }: NativePlace): string {
  return `${size}:${modifiedAt}`;
}

function newestFirst(a: NativeRow, b: NativeRow): number {
  return b.place.modifiedAt - a.place.modifiedAt || (a.id < b.id ? -1 : 1);
}

function cursorOf({ id, place }: NativeRow): string {
  return `${place.modifiedAt} ${id}`;
}

/** The first row behind the cursor, also when the row that it names has moved. */
function afterCursor(rows: readonly NativeRow[], cursor: string): number {
  const space = cursor.indexOf(' ');
  const modifiedAt = Number(cursor.slice(0, space));
  const id = cursor.slice(space + 1);
  const found = rows.findIndex(
    ({ id: each, place }) => place.modifiedAt < modifiedAt || (place.modifiedAt === modifiedAt && each > id),
  );
  return found < 0 ? rows.length : found;
}

/** Sentences without the names of files: those are private, and each would be a reason of its own. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'The host may not read it.';
  if (code === 'ENOENT') return 'It is no longer there.';
  if (code === 'ELOOP') return 'It is a link.';
  return code === undefined ? message : `It can't be read (${code}).`;
}
