import { posix } from 'node:path';
import { type FileNode, FileTree } from '../storage/fs/fileTree.js';
import type { SessionFs, SessionFsEntry, SessionFsStat } from '../storage/fs/sessionFs.js';
import { SessionFsFailure } from '../storage/fs/sessionFs.js';
import { splitLines } from '../storage/fs/splitLines.js';
import { LOG_FILE } from '../storage/log/jsonlEventLog.js';
import type { Committer } from './committer.js';
import type { Database } from './database.js';
import { FENCED, type Fence, FencedFailure, fenceValues } from './fence.js';
import type { Generations } from './generations.js';
import { LogCompaction } from './logCompaction.js';

const STATE_PATH = '/state';
const TEMP_PATH = '/temp';
const LOG_PATH = `${STATE_PATH}/${LOG_FILE}`;
const CHUNK_BYTES = 64 * 1024;

export interface PgSessionFsOptions {
  readonly database: Database;
  readonly committer: Committer;
  readonly generations: Generations;
  readonly fence: Fence;
  readonly initialCwd: string;
  readonly now?: () => number;
  /** Called before the session is given back. */
  readonly onDispose?: () => Promise<void>;
  /** Whether it can be given back now. If not, it stays this host's until somebody asks it, or finds it dead. */
  readonly mayRelease?: () => boolean;
}

/** The generation that a file's chunks have. A rename moves a name, never bytes. */
type Content = string;

interface FileRow {
  readonly path: string;
  readonly type: string;
  readonly gen: string | null;
  readonly size: string;
  readonly mtime: number;
  readonly birthtime: number;
}

/**
 * A session's files as rows of PostgreSQL. Its tree of names is in memory: nobody but the owner of the session writes. Every
 * change is one fenced statement, which may run twice. The log's generation and size are in the session's own row.
 */
export class PgSessionFs implements SessionFs {
  readonly conventions = 'posix';
  readonly sessionStatePath = STATE_PATH;
  readonly tmpdir = TEMP_PATH;
  readonly #options: PgSessionFsOptions;
  readonly #now: () => number;
  readonly #tree: FileTree<Content>;
  readonly #compaction: LogCompaction;
  #last: Promise<unknown> = Promise.resolve();
  /** Who has the session after this host. */
  #heir: string | null = null;

  static async open(options: PgSessionFsOptions): Promise<PgSessionFs> {
    const fs = new PgSessionFs(options);
    await fs.#load();
    return fs;
  }

  private constructor(options: PgSessionFsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#tree = new FileTree('posix', this.#now);
    this.#compaction = new LogCompaction(options.database, options.fence);
    for (const folder of ['/', STATE_PATH, TEMP_PATH]) this.#tree.addFolder(folder);
  }

  /** Bytes of the log that are stored. */
  get logSize(): number {
    const log = this.#tree.get(LOG_PATH);
    return log?.type === 'file' ? log.size : 0;
  }

  initialCwd(): string {
    return this.#options.initialCwd;
  }

  join(...parts: string[]): string {
    return posix.join(...parts);
  }

  lockKey(path: string): string {
    return `${this.#options.fence.sessionId}:${absoluteOf(path)}`;
  }

  async readFile(path: string): Promise<string> {
    return Buffer.from(await this.readFileBytes(path)).toString('utf8');
  }

  async readFileBytes(path: string): Promise<Uint8Array> {
    return this.#read(this.#tree.file(absoluteOf(path)), 0, Number.POSITIVE_INFINITY);
  }

  async readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
    return this.#read(this.#tree.file(absoluteOf(path)), offset, length);
  }

  writeFile(path: string, content: string | Uint8Array): Promise<void> {
    return this.#exclusively(() => this.#replace(absoluteOf(path), Buffer.from(content)));
  }

  appendFile(path: string, content: string | Uint8Array): Promise<void> {
    return this.#exclusively(async () => {
      const absolute = absoluteOf(path);
      const bytes = Buffer.from(content);
      const file = this.#tree.fileToWrite(absolute);
      if (!file) return this.#replace(absolute, bytes);
      const now = this.#now();
      if (absolute === LOG_PATH) {
        if (bytes.length > 0) await this.#options.committer.append(this.#options.fence, file.size, bytes, now);
      } else await this.#append(absolute, file, bytes, now);
      file.size += bytes.length;
      file.mtime = now;
      if (absolute === LOG_PATH && this.#compaction.isDue(file.content, bytes.length)) this.#compact(file.size);
    });
  }

  async exists(path: string): Promise<boolean> {
    return this.#tree.get(absoluteOf(path)) !== undefined;
  }

  async stat(path: string): Promise<SessionFsStat> {
    const node = this.#tree.node(absoluteOf(path));
    const isFile = node.type === 'file';
    const { mtime, birthtime } = node;
    return { isFile, isDirectory: !isFile, size: isFile ? node.size : 0, mtime, birthtime };
  }

  mkdir(path: string, options: { readonly recursive?: boolean } = {}): Promise<void> {
    return this.#exclusively(async () => {
      const missing = this.#tree.foldersToMake(absoluteOf(path), options);
      if (missing.length === 0) return;
      const made = `f as (insert into file select $1, p, 'd', null, 0, $5, $5 from s, unnest($4::text[]) p on conflict do nothing)`;
      await this.#change(made, [missing, this.#now()]);
      for (const folder of missing) this.#tree.addFolder(folder);
    });
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithTypes(path)).map((entry) => entry.name);
  }

  async readdirWithTypes(path: string): Promise<SessionFsEntry[]> {
    return this.#tree.entriesOf(absoluteOf(path));
  }

  rm(path: string, options: { readonly recursive?: boolean; readonly force?: boolean } = {}): Promise<void> {
    return this.#exclusively(async () => {
      const removed = this.#tree.pathsToRemove(absoluteOf(path), options);
      if (removed.length === 0) return;
      const gens = removed.flatMap((at) => this.#contentAt(at) ?? []);
      await this.#change(
        `f as (delete from file using s where session = $1 and path = any($4)),
         l as (update session_all set log_gen = null, log_size = 0 from s where id = $1 and $6),
         c as (delete from chunk using s where gen = any($5))`,
        [removed, gens, removed.includes(LOG_PATH)],
      );
      this.#tree.remove(removed);
    });
  }

  rename(source: string, target: string): Promise<void> {
    return this.#exclusively(async () => {
      const [from, to] = [absoluteOf(source), absoluteOf(target)];
      const moves = this.#tree.pathsToMove(from, to);
      if (moves.length === 0) return;
      const isLogInside = from !== LOG_PATH && moves.some(([at]) => at === LOG_PATH);
      if (isLogInside)
        throw new SessionFsFailure('EINVAL', `${source} holds the session's log, which stays where it is`);
      const replaced = [this.#contentAt(to) ?? []].flat();
      const drop = 'c as (delete from chunk using s where gen = any($6))';
      await this.#change(`${moveStatement(from, to)}, ${drop}`, [
        moves.map(([at]) => at),
        moves.map(([, at]) => at),
        replaced,
      ]);
      this.#tree.move(moves);
    });
  }

  async *readLines(path: string, fromByte = 0): AsyncGenerator<string> {
    yield* splitLines(this.#pieces(this.#tree.file(absoluteOf(path)), fromByte));
  }

  /** When a file was changed last, for one that is copied. The log's time is that of its last append. */
  setTime(path: string, time: number): Promise<void> {
    return this.#exclusively(async () => {
      const absolute = absoluteOf(path);
      const file = this.#tree.file(absolute);
      await this.#change('f as (update file set mtime = $5 from s where session = $1 and path = $4)', [absolute, time]);
      file.mtime = time;
    });
  }

  /** Rejects with a `FencedFailure` when another host has taken the session. */
  async assertOwned(): Promise<void> {
    await this.#change('n as (select 1)', []);
  }

  /** When it is disposed of, the session belongs to that host. */
  giveTo(hostId: string): void {
    this.#heir = hostId;
  }

  /** Gives the session back, for any host to take. */
  async dispose(): Promise<void> {
    await this.#last;
    const { database, fence, onDispose, mayRelease } = this.#options;
    await onDispose?.();
    if (mayRelease?.() === false) return;
    const sql = 'update session_all set owner = $4 where id = $1 and epoch = $2 and claim = $3';
    await database.settle(sql, [...fenceValues(fence), this.#heir]);
  }

  async #load(): Promise<void> {
    const { database, fence } = this.#options;
    type Log = { log_gen: string | null; log_size: string; log_mtime: number; log_birthtime: number };
    const [log] = await database.settle<Log>(
      'select log_gen, log_size, log_mtime, log_birthtime from session_all where id = $1',
      [fence.sessionId],
    );
    const rows = await database.settle<FileRow>(
      'select path, type, gen, size, mtime, birthtime from file where session = $1 order by path',
      [fence.sessionId],
    );
    for (const { path, type, gen, size, mtime, birthtime } of rows) {
      if (type === 'd') this.#tree.addFolder(path, { mtime, birthtime });
      else this.#tree.addFile(path, { mtime, birthtime, size: Number(size), content: gen ?? '' });
    }
    if (!log?.log_gen) return;
    const { log_mtime: mtime, log_birthtime: birthtime } = log;
    this.#tree.addFile(LOG_PATH, { mtime, birthtime, size: Number(log.log_size), content: log.log_gen });
  }

  /** In one statement: the old content or the new one is there, whole. */
  async #replace(absolute: string, bytes: Buffer): Promise<void> {
    const before = this.#tree.fileToWrite(absolute);
    const gen = await this.#options.generations.next();
    const now = this.#now();
    const birthtime = before?.birthtime ?? now;
    const { starts, pieces } = chunksOf(bytes, 0);
    const named =
      absolute === LOG_PATH
        ? `f as (update session_all set log_gen = $4, log_size = $5, log_mtime = $6, log_birthtime = $7 from s
             where id = $1 and $8::text is not null)`
        : `f as (insert into file select $1, $8, 'f', $4, $5, $6, $7 from s on conflict (session, path)
             do update set gen = excluded.gen, size = excluded.size, mtime = excluded.mtime)`;
    await this.#change(
      `${named},
       c as (insert into chunk select $4, t.start, t.bytes from s, unnest($9::bigint[], $10::bytea[]) as t(start, bytes)
         on conflict do nothing),
       d as (delete from chunk using s where gen = $11)`,
      [gen, bytes.length, now, birthtime, absolute, starts, pieces, before?.content ?? null],
    );
    this.#tree.addFile(absolute, { birthtime, mtime: now, size: bytes.length, content: gen });
  }

  async #append(absolute: string, file: FileNode<Content>, bytes: Buffer, now: number): Promise<void> {
    const { starts, pieces } = chunksOf(bytes, file.size);
    const stop = file.size + bytes.length;
    await this.#change(
      `f as (update file set size = $4, mtime = $5 from s
         where session = $1 and path = $6 and gen = $7 and size = $8 returning gen),
       c as (insert into chunk select gen, t.start, t.bytes from f, unnest($9::bigint[], $10::bytea[]) as t(start, bytes))`,
      [stop, now, absolute, file.content, file.size, starts, pieces],
    );
  }

  /** After the append that is under way, and before the next. The log is the same without it. */
  #compact(size: number): void {
    void this.#exclusively(() => this.#compaction.join(size)).catch(() => undefined);
  }

  /** Rejects with a `FencedFailure` when the session is another host's. */
  async #change(statements: string, values: readonly unknown[]): Promise<void> {
    const { database, fence } = this.#options;
    const sql = `with ${FENCED}, ${statements} select count(*) as owned from s`;
    const [row] = await database.settle<{ owned: string }>(sql, [...fenceValues(fence), ...values]);
    if (row?.owned !== '1') throw new FencedFailure(fence.sessionId);
  }

  async #read(file: FileNode<Content>, offset: number, length: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let wanted = Math.min(length, file.size - offset);
    for await (const piece of this.#pieces(file, offset)) {
      pieces.push(piece.subarray(0, wanted));
      wanted -= piece.length;
      if (wanted <= 0) break;
    }
    return Buffer.concat(pieces);
  }

  /** A few chunks at a time: a file may be larger than the memory. */
  async *#pieces({ content, size }: FileNode<Content>, offset: number): AsyncGenerator<Uint8Array> {
    const { database } = this.#options;
    const sql = `select start, bytes from chunk where gen = $1 and start < $3
      and start >= coalesce((select max(start) from chunk where gen = $1 and start <= $2), 0) order by start limit 16`;
    for (let at = offset; at < size; ) {
      const rows = await database.settle<{ start: string; bytes: Buffer }>(sql, [content, at, size]);
      if (rows.length === 0) throw new SessionFsFailure('EIO', `the database lacks bytes of this file from ${at} on`);
      for (const { start, bytes } of rows) {
        const piece = bytes.subarray(Math.max(at - Number(start), 0), size - Number(start));
        yield piece;
        at += piece.length;
      }
    }
  }

  #contentAt(path: string): Content | undefined {
    const node = this.#tree.get(path);
    return node?.type === 'file' ? node.content : undefined;
  }

  /** One change at a time: each is checked against the tree that the one before has left. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** Rows move by their names; the log's name is in the session's row. */
function moveStatement(from: string, to: string): string {
  const taken = `d as (delete from file using s, unnest($4::text[], $5::text[]) as m(a, b)
    where session = $1 and path = m.a returning m.b as path, type, gen, size, mtime, birthtime)`;
  if (to === LOG_PATH) {
    return `${taken}, l as (update session_all set log_gen = d.gen, log_size = d.size, log_mtime = d.mtime,
      log_birthtime = d.birthtime from d where id = $1)`;
  }
  const source =
    from === LOG_PATH
      ? `d as (select t.path, 'f'::"char" as type, log_gen as gen, log_size as size, log_mtime as mtime,
           log_birthtime as birthtime from session_all, s, unnest($4::text[], $5::text[]) as t(a, path)
           where id = $1 and log_gen is not null),
         l as (update session_all set log_gen = null, log_size = 0 from s where id = $1)`
      : taken;
  return `${source}, i as (insert into file select $1, path, type, gen, size, mtime, birthtime from d
    on conflict (session, path) do update set type = excluded.type, gen = excluded.gen, size = excluded.size,
      mtime = excluded.mtime, birthtime = excluded.birthtime)`;
}

function chunksOf(bytes: Buffer, from: number): { readonly starts: number[]; readonly pieces: Buffer[] } {
  const starts: number[] = [];
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    starts.push(from + at);
    pieces.push(bytes.subarray(at, at + CHUNK_BYTES));
  }
  return { starts, pieces };
}

function absoluteOf(path: string): string {
  if (path.includes('\0')) throw new SessionFsFailure('EINVAL', 'a path may not hold a NUL');
  return posix.resolve(posix.isAbsolute(path) ? path : posix.join(STATE_PATH, path));
}
