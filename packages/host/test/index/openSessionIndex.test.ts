import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SessionAction } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HostLog, silentLog } from '../../src/hostLog.js';
import { SessionIndex } from '../../src/index/sessionIndex.js';
import { JsonlEventLog } from '../../src/sessionFs/jsonlEventLog.js';
import { MemorySessionFs } from '../../src/sessionFs/memorySessionFs.js';
import type { SessionStorage } from '../../src/sessionFs/sessionStorage.js';
import { foldLog } from '../../src/sessions/foldLog.js';
import { openSessionIndex } from '../../src/sessions/openSessionIndex.js';
import { summary, turn } from './indexSamples.js';

const IDS = ['a', 'b', 'c'];
const TURNS = 300;

describe('an index that has to be made from the sessions', () => {
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

  it('equals one that was told of each turn when it started and ended', async () => {
    const live = new SessionIndex(path);
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
    (await openSessionIndex(rebuilt, storage, log)).close();
    expect(contents(rebuilt)).toEqual(contents(path));
    expect(contents(rebuilt).search).toHaveLength(IDS.length * (TURNS + 2));
  });

  it.each([
    ['missing', async () => {}],
    ['no database', () => writeFile(path, 'x'.repeat(10_000))],
    [
      'of another version',
      async () => {
        const database = new DatabaseSync(path);
        database.exec('PRAGMA user_version = 2');
        database.close();
      },
    ],
    ['left half made by a host that died', async () => new SessionIndex(path).close()],
    [
      'damaged in its first page',
      async () => {
        (await openSessionIndex(path, storage, log)).close();
        const file = await open(path, 'r+');
        await file.write(Buffer.alloc(4_000, 0xa5), 0, 4_000, 96);
        await file.close();
      },
    ],
  ])('%s: is made anew, is for this user alone, and stays', async (name, prepare) => {
    await prepare();
    const index = await openSessionIndex(path, storage, log);
    expect(warnings).toHaveLength(name === 'missing' ? 0 : 1);
    expect(index.list({ filter: { text: '"answer 299"' } })).toMatchObject({
      total: 3,
      snippets: { 'mock:/a': expect.stringContaining('⟨answer 299⟩') },
    });
    expect(index.list({ filter: { text: 'running b' } }).items).toMatchObject([{ resource: 'mock:/b' }]);
    expect(index.unsettled()).toEqual([]);
    index.close();
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o077).toBe(0);

    const again = await openSessionIndex(path, await storageOf([]), log);
    expect(again.list({}).total).toBe(3);
    again.close();
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
    const index = await openSessionIndex(path, broken, log);
    expect(
      index
        .list({ filter: { text: 'answer' } })
        .items.map(({ resource }) => resource)
        .toSorted(),
    ).toEqual(['mock:/a', 'mock:/c']);
    index.close();
  });

  it('a disk that is full: what waits is bounded, the list goes on, and the session is looked at again', () => {
    const errors: unknown[] = [];
    const index = new SessionIndex(path, (error) => errors.push(error));
    index.put(summary('x', { title: 'kept' }));
    index.flush();
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
