import type { Database } from './database.js';
import { type Fence, FencedFailure } from './fence.js';

interface Append {
  readonly fence: Fence;
  readonly start: number;
  readonly bytes: Uint8Array;
  readonly mtime: number;
  readonly outcome: PromiseWithResolvers<void>;
}

/** Bytes of one statement; what is more waits for the next. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** One session has one append under way, so that a batch has one row a session. */
const MAX_BATCH = 500;

const APPEND = `
with i as (
  select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[], $7::float8[])
    as t(id, epoch, claim, start, stop, bytes, mtime)),
h as (
  update session_all s set log_size = i.stop, log_mtime = i.mtime from i
    where s.id = i.id and s.epoch = i.epoch and s.claim = i.claim and s.log_size = i.start and s.log_gen is not null
    returning s.id, s.log_gen, i.start, i.bytes),
c as (insert into chunk select log_gen, start, bytes from h)
select id from h`;

const OUTCOME = `
select s.id, s.epoch, s.claim, s.log_size from session_all s where s.id = any($1::text[])`;

/**
 * Appends to the logs of all sessions of this host. While one statement commits, the next gathers; each append names its start, so
 * that a statement whose answer was lost is simply sent again (FEN2).
 */
export class Committer {
  readonly #database: Database;
  #waiting: Append[] = [];
  #running: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves when the bytes are stored. Rejects with a `FencedFailure` when another host has the session. */
  append(fence: Fence, start: number, bytes: Uint8Array, mtime: number): Promise<void> {
    const outcome = Promise.withResolvers<void>();
    this.#waiting.push({ fence, start, bytes, mtime, outcome });
    this.#running ??= this.#run();
    return outcome.promise;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      await this.#commit(batch).catch((error: unknown) => {
        for (const { outcome } of batch) outcome.reject(error);
      });
    }
    this.#running = undefined;
  }

  #nextBatch(): Append[] {
    const seen = new Set<string>();
    const [batch, rest]: [Append[], Append[]] = [[], []];
    let bytes = 0;
    for (const append of this.#waiting) {
      const { sessionId } = append.fence;
      const fits = batch.length === 0 || (batch.length < MAX_BATCH && bytes + append.bytes.length <= MAX_BATCH_BYTES);
      if (fits && !seen.has(sessionId)) {
        batch.push(append);
        bytes += append.bytes.length;
      } else rest.push(append);
      seen.add(sessionId);
    }
    this.#waiting = rest;
    // Always in the same order: two hosts that disagree about owners must not wait for each other's rows.
    return batch.sort((a, b) => (a.fence.sessionId < b.fence.sessionId ? -1 : 1));
  }

  async #commit(batch: readonly Append[]): Promise<void> {
    const stored = await this.#database.settle<{ id: string }>(APPEND, [
      batch.map(({ fence }) => fence.sessionId),
      batch.map(({ fence }) => fence.epoch),
      batch.map(({ fence }) => fence.claim),
      batch.map(({ start }) => start),
      batch.map(({ start, bytes }) => start + bytes.length),
      batch.map(({ bytes }) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
      batch.map(({ mtime }) => mtime),
    ]);
    const done = new Set(stored.map(({ id }) => id));
    const open = batch.filter(({ fence }) => !done.has(fence.sessionId));
    for (const { fence, outcome } of batch) if (done.has(fence.sessionId)) outcome.resolve();
    if (open.length > 0) await this.#lookUp(open);
  }

  /** What did not come back went in before, when an answer was lost, or may not go in. */
  async #lookUp(open: readonly Append[]): Promise<void> {
    type Row = { id: string; epoch: string; claim: string; log_size: string };
    const rows = await this.#database.settle<Row>(OUTCOME, [open.map(({ fence }) => fence.sessionId)]);
    for (const { fence, start, bytes, outcome } of open) {
      const row = rows.find(({ id }) => id === fence.sessionId);
      const isOurs = row?.epoch === fence.epoch && row.claim === fence.claim;
      if (isOurs && Number(row.log_size) === start + bytes.length) outcome.resolve();
      else outcome.reject(new FencedFailure(fence.sessionId));
    }
  }
}
