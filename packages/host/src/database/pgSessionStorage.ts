import { randomBytes } from 'node:crypto';
import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import { KeyedLock } from '../storage/fs/keyedLock.js';
import { CORRUPT_SUFFIX } from '../storage/log/corruptFile.js';
import { LOG_FILE } from '../storage/log/jsonlEventLog.js';
import { openStored, type StoredLogOptions } from '../storage/openStored.js';
import {
  type OpenStoredOptions,
  OwnedElsewhere,
  type SessionStorage,
  type StoredSession,
} from '../storage/sessionStorage.js';
import { Committer } from './committer.js';
import type { Database } from './database.js';
import type { Fence } from './fence.js';
import { Generations } from './generations.js';
import type { LivingHosts, OwnedSession, OwnedSessions } from './ownedSessions.js';
import { PgSessionFs } from './pgSessionFs.js';

export interface PgSessionStorageOptions extends StoredLogOptions {
  readonly database: Database;
  /** This run of the host. */
  readonly hostId: string;
  readonly owned: OwnedSessions;
  /** The other hosts on this database. */
  readonly cluster: LivingHosts;
  readonly initialCwd: string;
}

interface Claimed {
  readonly fence: Fence;
  readonly isIndexed: boolean;
  readonly place: string;
  /** Until then another host's agent may be at work. */
  readonly freeAt: number;
}

const PAGE = 1_000;
const UNIQUE_VIOLATION = '23505';

/** A log that is empty because all of it was damaged counts too: its content is beside it. */
const HAS_LOG = `(log_gen is not null and log_size > 0 or exists
  (select 1 from file where session = id and path = '/state/${LOG_FILE}${CORRUPT_SUFFIX}' and size > 0))`;

const OWNER = 'select owner from session where id = $1';

/** Sessions in a PostgreSQL database. */
export class PgSessionStorage implements SessionStorage {
  readonly #options: PgSessionStorageOptions;
  readonly #committer: Committer;
  readonly #generations: Generations;
  readonly #lock = new KeyedLock();
  /** Sessions that this host took from dead ones whose agents may still be at work. */
  readonly #freeAt = new Map<string, number>();

  constructor(options: PgSessionStorageOptions) {
    this.#options = options;
    this.#committer = new Committer(options.database);
    this.#generations = new Generations(options.database);
  }

  async open(sessionId: string, options: OpenStoredOptions = {}): Promise<StoredSession | undefined> {
    const { isDraft = false } = options;
    const opened = await this.#openFiles(sessionId, options);
    if (!opened) return undefined;
    const stored = await openStored(sessionId, opened.fs, this.#options, { lock: this.#lock, isDraft });
    const { place, fs, freeAt } = opened;
    const shared = { ...stored, isShared: true, freeAt, giveTo: (hostId: string) => fs.giveTo(hostId) };
    if (place === '') return shared;
    const { cluster } = this.#options;
    return { ...shared, place: { name: place, isHere: place === cluster.place, host: cluster.label } };
  }

  /** Takes a session and opens its files, without its log. */
  async openFiles(sessionId: string, create: boolean, space?: string): Promise<PgSessionFs | undefined> {
    return (await this.#openFiles(sessionId, { create, ...(space !== undefined && { space }) }))?.fs;
  }

  async #openFiles(
    sessionId: string,
    { create = false, isDraft = false, space = DEFAULT_SPACE }: OpenStoredOptions,
  ): Promise<(Pick<Claimed, 'place' | 'freeAt'> & { readonly fs: PgSessionFs }) | undefined> {
    const { database, initialCwd, owned } = this.#options;
    if (!(await this.exists(sessionId))) {
      if (!create) return undefined;
      await this.#make(sessionId, space);
    }
    const claimed = await this.#claim(sessionId);
    if (!claimed) return undefined;
    const { fence, isIndexed, place, freeAt } = claimed;
    const fs = await PgSessionFs.open({
      database,
      committer: this.#committer,
      generations: this.#generations,
      fence,
      initialCwd,
      onDispose: () => owned.remove(session),
      // Who takes it from this host waits as well.
      mayRelease: () => performance.now() >= freeAt,
    });
    // Nobody tells the index of what goes into a draft: it is read when the session is opened.
    const session: OwnedSession = { fence, isIndexed: isIndexed && !isDraft, logSize: () => fs.logSize };
    owned.add(session);
    return { fs, place, freeAt };
  }

  async exists(sessionId: string): Promise<boolean> {
    const sql = `select 1 from session_all where id = $1 and ${HAS_LOG}`;
    return (await this.#options.database.settle(sql, [sessionId])).length > 0;
  }

  async spaceOf(sessionId: string): Promise<string | undefined> {
    const sql = `select space from session_all where id = $1 and ${HAS_LOG}`;
    return (await this.#options.database.settle<{ space: string }>(sql, [sessionId]))[0]?.space;
  }

  async remove(sessionId: string): Promise<void> {
    const { database, hostId, cluster } = this.#options;
    // Never one that another host has open.
    const ours = 'id = $1 and (owner is null or owner = $2 or owner <> all($3))';
    await database.settle(removeWhere(ours), [sessionId, hostId, cluster.alive]);
    const [left] = await database.settle<{ owner: string | null }>(OWNER, [sessionId]);
    if (left) throw new OwnedElsewhere(sessionId, left.owner ?? '');
  }

  async modifiedAt(sessionId: string): Promise<number | undefined> {
    const sql = 'select log_mtime from session_all where id = $1 and log_gen is not null';
    const [row] = await this.#options.database.settle<{ log_mtime: number }>(sql, [sessionId]);
    return row?.log_mtime;
  }

  async *list(): AsyncGenerator<string> {
    const sql = `select id from session_all where id > $1 and ${HAS_LOG} order by id limit ${PAGE}`;
    for (let after = ''; ; ) {
      const rows = await this.#options.database.settle<{ id: string }>(sql, [after]);
      for (const { id } of rows) yield id;
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.id ?? '';
    }
  }

  /**
   * Sessions that this host has open although another one has taken them: it slept, or seemed dead. Where nobody writes, nothing
   * else would tell, and those who look on here would see an old state for good.
   */
  async findTaken(): Promise<ReadonlySet<string>> {
    const { database, owned } = this.#options;
    const before = owned.all;
    if (before.length === 0) return new Set();
    type Row = { readonly id: string; readonly epoch: string; readonly claim: string };
    const sql = 'select id, epoch, claim from session_all where id = any($1)';
    const rows = await database.query<Row>(sql, [before.map(({ fence }) => fence.sessionId)]);
    const found = new Map(rows.map((row) => [row.id, row]));
    const isTaken = ({ fence }: OwnedSession) => {
      const row = found.get(fence.sessionId);
      return row?.epoch !== fence.epoch || row.claim !== fence.claim;
    };
    // One that was closed meanwhile is nobody's loss.
    const taken = before.filter((one) => isTaken(one) && owned.get(one.fence.sessionId) === one);
    return new Set(taken.map(({ fence }) => fence.sessionId));
  }

  giveUpWaiting(): void {
    this.#options.database.giveUpWaiting();
  }

  /** Sessions that the index does not have: their host ended when it had begun them. */
  async *listUnindexed(): AsyncGenerator<string> {
    const { database, cluster } = this.#options;
    const sql = `select id from session_all where indexed_size <> log_size and ${HAS_LOG}
      and not exists (select 1 from summary_all where session = id) and (owner is null or owner <> all($1))`;
    for (const { id } of await database.settle<{ id: string }>(sql, [cluster.alive])) yield id;
  }

  /** A row that is this host's from the start. Rejects when another one makes, or has made, a session of the same name. */
  async #make(sessionId: string, space: string): Promise<void> {
    const { database, hostId, cluster } = this.#options;
    const claim = newClaim();
    const sql = `insert into session_all as s (id, place, owner, claim, space) values ($1, $2, $3, $4, $5)
      on conflict (id) do update set claim = excluded.claim where s.claim = excluded.claim returning id`;
    for (;;) {
      const making = database.settle(sql, [sessionId, cluster.place, hostId, claim, space]);
      const made = await making.catch((error: { readonly code?: string }) => {
        // One of another space has this id, or was cut short when it was made.
        if (error.code === UNIQUE_VIOLATION) return [];
        throw error;
      });
      if (made.length > 0) return;
      type Row = { readonly owner: string | null; readonly epoch: string };
      const [seen] = await database.settle<Row>('select owner, epoch from session_all where id = $1', [sessionId]);
      if (!seen) continue;
      const isTaken = seen.owner !== null && seen.owner !== hostId && (await cluster.isAlive(seen.owner));
      if (isTaken || (await this.exists(sessionId))) throw new OwnedElsewhere(sessionId, seen.owner ?? '');
      // What is there without a log was cut short when it was made; or its host lives after all, and has written one meanwhile.
      await database.settle(removeWhere(`id = $1 and epoch = $2 and not ${HAS_LOG}`), [sessionId, seen.epoch]);
    }
  }

  /** Takes the session, from now on every other host's writes do nothing (OWN1). Rejects when a living host has it. */
  async #claim(sessionId: string): Promise<Claimed | undefined> {
    const { database, hostId, cluster } = this.#options;
    type Row = {
      readonly owner: string | null;
      readonly epoch: string;
      readonly place: string;
      readonly space: string;
      readonly provider?: string;
    };
    const look = `select owner, epoch, place, space, (select provider from summary_all where session = id) as provider
      from session_all where id = $1`;
    for (;;) {
      const [seen] = await database.settle<Row>(look, [sessionId]);
      if (!seen) return undefined;
      if (seen.owner !== null && seen.owner !== hostId && (await cluster.isAlive(seen.owner))) {
        throw new OwnedElsewhere(sessionId, seen.owner);
      }
      const { place, space, provider } = seen;
      const better = seen.owner === hostId ? undefined : await cluster.hostFor(place, provider ?? undefined, space);
      if (better !== undefined) throw new OwnedElsewhere(sessionId, better);
      const claim = newClaim();
      const sql = `update session_all set owner = $2, epoch = case when claim = $3 then epoch else epoch + 1 end, claim = $3
        where id = $1 and (epoch = $4 and owner is not distinct from $5 or claim = $3)
        returning epoch, log_size = 0 or log_size = indexed_size as is_indexed`;
      type Taken = { readonly epoch: string; readonly is_indexed: boolean };
      const [row] = await database.settle<Taken>(sql, [sessionId, hostId, claim, seen.epoch, seen.owner]);
      const fence = row && { sessionId, epoch: row.epoch, claim };
      if (fence)
        return { fence, isIndexed: row.is_indexed, place: seen.place, freeAt: this.#freed(sessionId, seen.owner) };
    }
  }

  /** When no agent of the host that had the session can be at work any more. One that gave it back has ended its agent. */
  #freed(sessionId: string, owner: string | null): number {
    const { hostId, cluster } = this.#options;
    const now = performance.now();
    for (const [id, time] of this.#freeAt) if (time <= now) this.#freeAt.delete(id);
    if (owner === hostId) return this.#freeAt.get(sessionId) ?? 0;
    const freeAt = owner === null ? 0 : cluster.freeAt(owner);
    if (freeAt > now) this.#freeAt.set(sessionId, freeAt);
    return freeAt;
  }
}

/** Makes two owners differ, even where a failover of the database lost an epoch. */
function newClaim(): string {
  return randomBytes(8).readBigInt64BE().toString();
}

/** The session with all its bytes. */
function removeWhere(condition: string): string {
  return `with s as (select id, log_gen from session_all where ${condition} for update),
    g as (select gen from file where session in (select id from s) union select log_gen from s),
    d as (delete from session_all using s where session_all.id = s.id)
    delete from chunk using g where chunk.gen = g.gen`;
}
