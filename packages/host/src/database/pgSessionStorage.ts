import { randomBytes } from 'node:crypto';
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
}

const PAGE = 1_000;

/** A log that is empty because all of it was damaged counts too: its content is beside it. */
const HAS_LOG = `(log_gen is not null and log_size > 0 or exists
  (select 1 from file where session = id and path = '/state/${LOG_FILE}${CORRUPT_SUFFIX}' and size > 0))`;

/** Sessions in a PostgreSQL database. */
export class PgSessionStorage implements SessionStorage {
  readonly #options: PgSessionStorageOptions;
  readonly #committer: Committer;
  readonly #generations: Generations;
  readonly #lock = new KeyedLock();

  constructor(options: PgSessionStorageOptions) {
    this.#options = options;
    this.#committer = new Committer(options.database);
    this.#generations = new Generations(options.database);
  }

  async open(
    sessionId: string,
    { create = false, isDraft = false }: OpenStoredOptions = {},
  ): Promise<StoredSession | undefined> {
    const opened = await this.#openFiles(sessionId, create);
    if (!opened) return undefined;
    const stored = await openStored(sessionId, opened.fs, this.#options, { lock: this.#lock, isDraft });
    const { place } = opened;
    const shared = { ...stored, isShared: true };
    return place === '' ? shared : { ...shared, place: { name: place, isHere: place === this.#options.cluster.place } };
  }

  /** Takes a session and opens its files, without its log. */
  async openFiles(sessionId: string, create: boolean): Promise<PgSessionFs | undefined> {
    return (await this.#openFiles(sessionId, create))?.fs;
  }

  async #openFiles(
    sessionId: string,
    create: boolean,
  ): Promise<{ readonly fs: PgSessionFs; readonly place: string } | undefined> {
    const { database, initialCwd, owned } = this.#options;
    if (!(await this.exists(sessionId))) {
      if (!create) return undefined;
      await this.#make(sessionId);
    }
    const claimed = await this.#claim(sessionId);
    if (!claimed) return undefined;
    const { fence, isIndexed, place } = claimed;
    const fs = await PgSessionFs.open({
      database,
      committer: this.#committer,
      generations: this.#generations,
      fence,
      initialCwd,
      onDispose: () => owned.remove(session),
    });
    const session: OwnedSession = { fence, isIndexed, logSize: () => fs.logSize };
    owned.add(session);
    return { fs, place };
  }

  async exists(sessionId: string): Promise<boolean> {
    const sql = `select 1 from session where id = $1 and ${HAS_LOG}`;
    return (await this.#options.database.settle(sql, [sessionId])).length > 0;
  }

  async remove(sessionId: string): Promise<void> {
    const { database, hostId, cluster } = this.#options;
    // Never one that another host has open.
    const ours = 'id = $1 and (owner is null or owner = $2 or owner <> all($3))';
    await database.settle(removeWhere(ours), [sessionId, hostId, cluster.alive]);
  }

  async modifiedAt(sessionId: string): Promise<number | undefined> {
    const sql = 'select log_mtime from session where id = $1 and log_gen is not null';
    const [row] = await this.#options.database.settle<{ log_mtime: number }>(sql, [sessionId]);
    return row?.log_mtime;
  }

  async *list(): AsyncGenerator<string> {
    const sql = `select id from session where id > $1 and ${HAS_LOG} order by id limit ${PAGE}`;
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
    const sql = 'select id, epoch, claim from session where id = any($1)';
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
    const sql = `select id from session where indexed_size <> log_size and ${HAS_LOG}
      and not exists (select 1 from summary where session = id) and (owner is null or owner <> all($1))`;
    for (const { id } of await database.settle<{ id: string }>(sql, [cluster.alive])) yield id;
  }

  /** A row that is this host's from the start. Rejects when another one makes, or has made, a session of the same name. */
  async #make(sessionId: string): Promise<void> {
    const { database, hostId, cluster } = this.#options;
    const claim = newClaim();
    const sql = `insert into session as s (id, place, owner, claim) values ($1, $2, $3, $4)
      on conflict (id) do update set claim = excluded.claim where s.claim = excluded.claim returning id`;
    for (;;) {
      const made = await database.settle(sql, [sessionId, cluster.place, hostId, claim]);
      if (made.length > 0) return;
      type Row = { readonly owner: string | null; readonly epoch: string };
      const [seen] = await database.settle<Row>('select owner, epoch from session where id = $1', [sessionId]);
      if (!seen) continue;
      const isTaken = seen.owner !== null && seen.owner !== hostId && (await cluster.isAlive(seen.owner));
      if (isTaken || (await this.exists(sessionId))) throw new OwnedElsewhere(sessionId, seen.owner ?? '');
      // What is there without a log was cut short when it was made.
      await database.settle(removeWhere('id = $1 and epoch = $2'), [sessionId, seen.epoch]);
    }
  }

  /** Takes the session, from now on every other host's writes do nothing (OWN1). Rejects when a living host has it. */
  async #claim(sessionId: string): Promise<Claimed | undefined> {
    const { database, hostId, cluster } = this.#options;
    type Row = { readonly owner: string | null; readonly epoch: string; readonly place: string };
    for (;;) {
      const [seen] = await database.settle<Row>('select owner, epoch, place from session where id = $1', [sessionId]);
      if (!seen) return undefined;
      if (seen.owner !== null && seen.owner !== hostId && (await cluster.isAlive(seen.owner))) {
        throw new OwnedElsewhere(sessionId, seen.owner);
      }
      const better = seen.owner === hostId ? undefined : await cluster.hostFor(seen.place);
      if (better !== undefined) throw new OwnedElsewhere(sessionId, better);
      const claim = newClaim();
      const sql = `update session set owner = $2, epoch = case when claim = $3 then epoch else epoch + 1 end, claim = $3
        where id = $1 and (epoch = $4 and owner is not distinct from $5 or claim = $3)
        returning epoch, log_size = 0 or log_size = indexed_size as is_indexed`;
      type Taken = { readonly epoch: string; readonly is_indexed: boolean };
      const [row] = await database.settle<Taken>(sql, [sessionId, hostId, claim, seen.epoch, seen.owner]);
      const fence = row && { sessionId, epoch: row.epoch, claim };
      if (fence) return { fence, isIndexed: row.is_indexed, place: seen.place };
    }
  }
}

/** Makes two owners differ, even where a failover of the database lost an epoch. */
function newClaim(): string {
  return randomBytes(8).readBigInt64BE().toString();
}

/** The session with all its bytes. */
function removeWhere(condition: string): string {
  return `with s as (select id, log_gen from session where ${condition} for update),
    g as (select gen from file where session in (select id from s) union select log_gen from s),
    d as (delete from session using s where session.id = s.id)
    delete from chunk using g where chunk.gen = g.gen`;
}
