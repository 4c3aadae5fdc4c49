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

/** A log that is empty because all of it was damaged is one too: what it held is beside it. */
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
    return place === '' ? stored : { ...stored, place: { name: place, isHere: place === this.#options.cluster.place } };
  }

  /** Takes a session and opens its files, without its log. */
  async openFiles(sessionId: string, create: boolean): Promise<PgSessionFs | undefined> {
    return (await this.#openFiles(sessionId, create))?.fs;
  }

  async #openFiles(
    sessionId: string,
    create: boolean,
  ): Promise<{ readonly fs: PgSessionFs; readonly place: string } | undefined> {
    const { database, initialCwd, owned, cluster } = this.#options;
    if (!(await this.exists(sessionId))) {
      if (!create) return undefined;
      // What is there without a log was cut short when it was made.
      await this.remove(sessionId);
      await database.settle('insert into session (id, place) values ($1, $2) on conflict do nothing', [
        sessionId,
        cluster.place,
      ]);
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
    await database.settle(
      `with s as (select id, log_gen from session where ${ours} for update),
       g as (select gen from file where session in (select id from s) union select log_gen from s),
       d as (delete from session using s where session.id = s.id)
       delete from chunk using g where chunk.gen = g.gen`,
      [sessionId, hostId, cluster.alive],
    );
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

  /** Sessions that the index does not have: their host ended when it had begun them. */
  async *listUnindexed(): AsyncGenerator<string> {
    const { database, cluster } = this.#options;
    const sql = `select id from session where indexed_size <> log_size and ${HAS_LOG}
      and not exists (select 1 from summary where session = id) and (owner is null or owner <> all($1))`;
    for (const { id } of await database.settle<{ id: string }>(sql, [cluster.alive])) yield id;
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
      const claim = randomBytes(8).readBigInt64BE().toString();
      const sql = `update session set owner = $2, epoch = epoch + 1, claim = $3
        where id = $1 and (epoch = $4 and owner is not distinct from $5 or claim = $3)
        returning epoch, log_size = 0 or log_size = indexed_size as is_indexed`;
      type Taken = { readonly epoch: string; readonly is_indexed: boolean };
      const [row] = await database.settle<Taken>(sql, [sessionId, hostId, claim, seen.epoch, seen.owner]);
      const fence = row && { sessionId, epoch: row.epoch, claim };
      if (fence) return { fence, isIndexed: row.is_indexed, place: seen.place };
    }
  }
}
