import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SessionAction } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HostLog, silentLog } from '../../../src/hostLog.js';
import { IndexReplacedError, IndexUnusableError } from '../../../src/sessionIndex/indexDamage.js';
import { IndexFile } from '../../../src/sessionIndex/indexFile.js';
import { inspectIndex } from '../../../src/sessionIndex/inspectIndex.js';
import { SqliteSessionIndex } from '../../../src/sessionIndex/sqliteSessionIndex.js';
import { foldLog } from '../../../src/sessions/history/foldLog.js';
import { IndexFiller } from '../../../src/sessions/indexing/indexFiller.js';
import { indexLog } from '../../../src/sessions/indexing/indexLog.js';
import { openSessionIndex } from '../../../src/sessions/indexing/openSessionIndex.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import { JsonlEventLog } from '../../../src/storage/log/jsonlEventLog.js';
import type { SessionStorage } from '../../../src/storage/sessionStorage.js';
import { summary, turn } from '../../sessionIndex/indexSamples.js';

const IDS = ['a', 'b', 'c'];
const TURNS = 300;

describe('an index that is rebuilt from the sessions', () => {
  let folder: string;
  let path: string;
  let storage: SessionStorage;
  let warnings: string[];
  let log: HostLog;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agenthost-index-'));
    path = join(folder, 'index.sqlite');
    storage = await storageOf(IDS);
    warnings = [];
    log = { ...silentLog, warn: (message) => void warnings.push(message) };
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function openFilled(at: string, from: SessionStorage = storage): Promise<SqliteSessionIndex> {
    const { index, missing } = await openSessionIndex(at, log);
    const filler = new IndexFiller({
      index,
      storage: from,
      log,
      broadcast: () => {},
      forget: async (uri) => index.remove(uri),
      indexSession: async (id) => {
        const stored = await from.open(id);
        if (stored) await indexLog(index, stored.log);
      },
    });
    if (missing) filler.start(missing);
    await filler.settled;
    return index;
  }

  it('equals one that received each turn when it started and ended', async () => {
    const live = new SqliteSessionIndex(path);
    for (const id of IDS) {
      const stored = await storage.open(id);
      let last: object | undefined;
      await foldLog(stored?.log.load() ?? none(), (state) => {
        const { resource } = state.summary;
        live.put(state.summary);
        if (state.activeTurn) live.putTurn(resource, state.activeTurn);
        const ended = state.turns.at(-1);
        if (ended && ended !== last) live.putTurn(resource, ended);
        last = ended;
        return state;
      });
    }
    live.close();
    const rebuilt = join(folder, 'rebuilt.sqlite');
    (await openFilled(rebuilt)).close();
    expect(contents(rebuilt)).toEqual(contents(path));
    expect(contents(rebuilt).search).toHaveLength(IDS.length * (TURNS + 2));
  });

  it.each([
    ['missing', async () => {}],
    ['not an index', () => writeFile(path, 'x'.repeat(10_000))],
    [
      'of a newer version',
      async () => {
        (await openFilled(path)).close();
        const found = await inspectIndex(path);
        if (found.kind !== 'clean') throw new Error(`the index is ${found.kind}`);
        const file = new IndexFile(path, found.sums);
        file.database.exec('PRAGMA user_version = 9999; CREATE TABLE future (x); DROP TABLE turns');
        file.close({ isClean: true });
      },
    ],
    ['left half made by a host that died', async () => new SqliteSessionIndex(path).close()],
    [
      'damaged in its first page',
      async () => {
        (await openFilled(path)).close();
        const file = await open(path, 'r+');
        await file.write(Buffer.alloc(4_000, 0xa5), 0, 4_000, 96);
        await file.close();
      },
    ],
  ])('%s: is rebuilt, private to this user, and stays', async (name, prepare) => {
    await prepare();
    const index = await openFilled(path);
    expect(warnings).toHaveLength(name === 'missing' ? 0 : 1);
    expect(index.list({ filter: { text: '"answer 299"' } })).toMatchObject({
      total: 3,
      snippets: { 'mock:/a': expect.stringContaining('⟨answer 299⟩') },
    });
    expect(index.list({ filter: { text: 'running b' } }).items).toMatchObject([{ resource: 'mock:/b' }]);
    expect(index.unsettled()).toEqual([]);
    index.close();
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o077).toBe(0);

    const { index: again, missing } = await openSessionIndex(path, log);
    expect(missing).toBeUndefined();
    expect(again.list({}).total).toBe(3);
    again.close();
  });

  it('keeps a half read session unsettled, however much of it is already written', async () => {
    const index = await openFilled(path, await storageOf([]));
    const stored = await storage.open('a');
    if (!stored) throw new Error('the session is missing');
    const [half, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const load = async function* () {
      let n = 0;
      for await (const record of stored.log.load()) {
        if (++n === 700) {
          half.resolve();
          await goOn.promise;
        }
        yield record;
      }
    };
    const reading = indexLog(index, Object.assign(Object.create(stored.log) as typeof stored.log, { load }));
    await half.promise;
    expect(index.list({ filter: { text: '"answer 100"' } }).total).toBe(1);
    expect(index.isComplete('mock:/a')).toBe(false);
    expect(index.unsettled()).toEqual(['mock:/a']);
    goOn.resolve();
    await reading;
    index.flush();
    expect(index.isComplete('mock:/a')).toBe(true);
    expect(index.unsettled()).toEqual([]);
    index.close();
  });

  it('leaves out a session that cannot be read to its end', async () => {
    const broken: SessionStorage = {
      ...storage,
      async open(id) {
        const stored = await storage.open(id);
        if (!stored || id !== 'b') return stored;
        return {
          fs: stored.fs,
          log: Object.assign(Object.create(stored.log) as typeof stored.log, {
            load: () => failing(stored.log.load()),
          }),
        };
      },
    };
    const index = await openFilled(path, broken);
    expect(
      index
        .list({ filter: { text: 'answer' } })
        .items.map(({ resource }) => resource)
        .toSorted(),
    ).toEqual(['mock:/a', 'mock:/c']);
    index.close();
  });

  it('damaged while it is used: is replaced, a limited number of times', async () => {
    const causes: unknown[] = [];
    const index = new SqliteSessionIndex(path, { onReplaced: (cause) => causes.push(cause) });
    const damage = async () => {
      for (let n = 0; n < 50; n++) index.put(summary(`s${n}`, { title: `title ${n}` }));
      index.markFilled();
      const other = new DatabaseSync(path);
      // Makes the index read again what it has in its memory.
      other.exec('CREATE TABLE poke (x); PRAGMA wal_checkpoint(TRUNCATE)');
      other.close();
      const file = await open(path, 'r+');
      const { size } = await file.stat();
      await file.write(Buffer.alloc(size - 4_096, 0xa5), 0, size - 4_096, 4_096);
      await file.close();
    };
    for (let n = 1; n <= 3; n++) {
      await damage();
      expect(() => index.list({})).toThrow(IndexReplacedError);
      expect(index.list({}).total).toBe(0);
      expect(causes).toHaveLength(n);
    }
    await damage();
    for (let n = 0; n < 2; n++) expect(() => index.list({})).toThrow(IndexUnusableError);
    expect(causes).toHaveLength(3);
    index.close();
  });

  it('on a full disk: waiting changes are bounded, lists work, and the session is read again', () => {
    const errors: unknown[] = [];
    const index = new SqliteSessionIndex(path, { onError: (error) => errors.push(error) });
    index.put(summary('x', { title: 'kept' }));
    index.markFilled();
    const other = new DatabaseSync(path);
    other.exec("CREATE TRIGGER full BEFORE INSERT ON turns BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    for (let n = 0; n < 300; n++) index.putTurn('mock:/x', turn(`t${n}`, `word${n} ${'x'.repeat(30_000)}`));
    expect(index.list({ filter: { text: 'kept' } }).total).toBe(1);
    expect(String(errors[0])).toContain('disk full');
    other.exec('DROP TRIGGER full');
    other.close();
    expect(index.list({ filter: { text: 'word299' } }).total).toBe(1);
    expect(index.list({ filter: { text: 'word0' } }).total).toBe(0);
    expect(index.unsettled()).toEqual(['mock:/x']);
    index.close();
  });
});

function contents(path: string) {
  const database = new DatabaseSync(path);
  const all = (sql: string) => database.prepare(sql).all();
  try {
    database.exec(`INSERT INTO search (search) VALUES ('integrity-check')`);
    return {
      sessions: all('SELECT resource, title, summary FROM sessions ORDER BY resource'),
      search: all('SELECT rowid, text FROM search ORDER BY rowid'),
      turns: all('SELECT * FROM turns ORDER BY id'),
      unsettled: all('SELECT * FROM unsettled'),
    };
  } finally {
    database.close();
  }
}

async function storageOf(ids: readonly string[]): Promise<SessionStorage> {
  const files = new Map<string, MemorySessionFs>();
  for (const id of ids) {
    const fs = new MemorySessionFs();
    files.set(id, fs);
    const log = await JsonlEventLog.open({ fs });
    const start = {
      sessionId: id,
      provider: 'mock',
      cwd: '/work',
      versions: { log: 1, protocol: 1 },
      createdAt: 1,
    } as const;
    log.append({ type: 'session.start', ...start });
    actionsOf(`mock:/${id}`).forEach((action, n) => {
      log.append({ type: 'action', serverSeq: n + 1, action });
    });
    await log.close();
  }
  return {
    async open(id) {
      const fs = files.get(id);
      return fs && { fs, log: await JsonlEventLog.open({ fs }) };
    },
    exists: async (id) => files.has(id),
    remove: async (id) => void files.delete(id),
    modifiedAt: async () => 1,
    async *list() {
      yield* files.keys();
    },
  };
}

function actionsOf(session: string): SessionAction[] {
  const by = { clientId: 'c', name: 'C' };
  const turns = Array.from({ length: TURNS }, (_, n): SessionAction[] => {
    const common = { session, at: n + 10, turnId: `t${n}` };
    const part = { kind: 'markdown', id: `p${n}`, content: `answer ${n}` } as const;
    return [
      { ...common, type: 'session/turnStarted', userMessage: { text: `question ${n}` }, by },
      { ...common, type: 'session/responsePart', part },
      { ...common, type: n % 2 ? 'session/turnComplete' : 'session/turnCancelled' },
    ];
  });
  return [
    { type: 'session/ready', session, at: 2 },
    { type: 'session/titleChanged', session, at: 3, title: `Title ${session.at(-1)}` },
    ...turns.flat(),
    { type: 'session/turnStarted', session, at: 999, turnId: 'last', userMessage: { text: 'running' }, by },
  ];
}

async function* failing<T>(records: AsyncIterable<T>): AsyncIterable<T> {
  let n = 0;
  for await (const record of records) {
    if (++n > 500) throw new Error('a bad sector');
    yield record;
  }
}

async function* none(): AsyncIterable<never> {}
