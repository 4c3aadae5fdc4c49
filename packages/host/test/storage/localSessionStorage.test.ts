import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalSessionStorage } from '../../src/storage/localSessionStorage.js';
import { start, title } from './log/logSamples.js';

describe('a local storage of sessions', () => {
  let stateRoot: string;
  let storage: LocalSessionStorage;

  beforeEach(async () => {
    stateRoot = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-storage-')));
    await mkdir(join(stateRoot, 'session-state'));
    storage = new LocalSessionStorage({
      stateRoot,
      listSessionIds: async function* () {
        yield* await readdir(join(stateRoot, 'session-state'));
      },
      durability: 'fsync',
      initialCwd: '/',
      now: Date.now,
      newId: randomUUID,
      onDamage: () => undefined,
    });
  });
  afterEach(() => rm(stateRoot, { recursive: true, force: true }));

  const folder = (id: string) => join(stateRoot, 'session-state', id);
  const listed = async () => {
    const ids: string[] = [];
    for await (const id of storage.list()) ids.push(id);
    return ids.sort();
  };
  async function made(id: string, options: { isDraft?: boolean } = {}) {
    const stored = await storage.open(id, { create: true, ...options });
    if (!stored) throw new Error('not made');
    stored.log.append(start);
    stored.log.append(title('<1>', 1));
    return stored;
  }

  it('has the sessions that have a log', async () => {
    const { log, fs } = await made('one');
    expect([await storage.exists('one'), await listed(), await storage.open('one')]).toEqual([false, [], undefined]);
    await log.close();
    await fs.dispose();
    await mkdir(folder('without-log'));
    expect([await storage.exists('one'), await storage.exists('without-log'), await listed()]).toEqual([
      true,
      false,
      ['one'],
    ]);
  });

  it('has a draft when it is closed, complete', async () => {
    const { log, fs } = await made('draft', { isDraft: true });
    await log.flush();
    expect([await storage.exists('draft'), await listed()]).toEqual([false, []]);
    await log.close();
    await fs.dispose();
    expect(await readdir(folder('draft'))).toEqual(['events.jsonl']);
    const again = await storage.open('draft');
    expect((await again?.log.loadAll())?.records).toHaveLength(2);
    await again?.fs.dispose();
  });

  it('reuses the id of an interrupted session, without its files', async () => {
    for (const isDraft of [true, false]) {
      await mkdir(join(folder('again'), 'files'), { recursive: true });
      await writeFile(join(folder('again'), 'files/old.txt'), 'old');
      await writeFile(join(folder('again'), 'events.jsonl.draft'), 'half of a li');
      const { log, fs } = await made('again', { isDraft });
      await log.close();
      await fs.dispose();
      expect(await readdir(folder('again'))).toEqual(['events.jsonl']);
      await storage.remove('again');
    }
  });

  it('never treats a session whose whole log was damaged as interrupted', async () => {
    await mkdir(folder('damaged'));
    await writeFile(join(folder('damaged'), 'events.jsonl'), 'nothing of a log\n');
    const stored = await storage.open('damaged');
    await expect(stored?.log.loadAll()).rejects.toMatchObject({ code: 'NO_BEGINNING' });
    await stored?.fs.dispose();
    expect((await readdir(folder('damaged'))).sort()).toEqual(['events.jsonl', 'events.jsonl.corrupt']);
    expect(await storage.exists('damaged')).toBe(true);
  });

  it('looks for a log between two changes of it', async () => {
    const { log, fs } = await made('busy');
    // The write holds the lock of the log when it is asked for.
    const written = log.flush();
    const exists = storage.exists('busy');
    await written;
    expect(await exists).toBe(true);
    const cut = log.append(title('<2>', 2));
    await log.flush();
    log.rollbackTo(cut - 1);
    const isCut = log.flush();
    expect(await listed()).toEqual(['busy']);
    await isCut;
    await fs.dispose();
  });
});
