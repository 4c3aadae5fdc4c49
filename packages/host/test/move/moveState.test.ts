import { createHash } from 'node:crypto';
import { appendFile, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Artifact } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { say } from '../../../../test/support/say.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTestHost, type TestHost } from '../../../../test/support/testHost.js';
import { Database } from '../../src/database/database.js';
import { silentLog } from '../../src/hostLog.js';
import { openDatabaseSide } from '../../src/move/databaseSide.js';
import { type MoveOptions, moveState } from '../../src/move/moveState.js';

const postgres = postgresOfFile();

const cleanups = cleanupsOfTests();

const move = (from: string, to: string, options: Partial<MoveOptions> = {}) =>
  moveState({ from, to, env: {}, leaseMs: 1_000, ...options });

async function query<R extends object>(url: string, sql: string): Promise<R[]> {
  const database = await Database.open({ url, log: silentLog, env: {} });
  return database.query<R>(`${sql}`).finally(() => database.close());
}

/** Every file below the sessions, with a hash of its bytes. */
async function filesOf(stateDir: string): Promise<Record<string, string>> {
  const root = join(stateDir, 'session-state');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files: Record<string, string> = {};
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    files[name] = entry.isFile()
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : 'folder';
  }
  return files;
}

/** Turns, a large pasted text, artifacts, a fork and an attachment, by a real host. */
async function fill(stateDir: string): Promise<string> {
  const host = await startTestHost({ stateDir });
  const client = await host.connect();
  const session = await client.createSession({ provider: 'mock' });
  await session.ready();
  await say(session, 'echo a needle in the hay');
  await say(session, `echo ${'wörds and more 🌍 '.repeat(55_000)}`);
  await say(session, 'artifact notes.md');
  await say(session, 'checkpoint The first');
  await session.rename('The moved one');
  const fork = await client.forkSession({ source: session.uri });
  await fork.ready();
  await say(fork, 'echo only in the fork');
  await fork.rename('The fork');
  await host.host.deviceTokens.add('phone', 'viewer');
  await host.dispose();
  await writeFile(join(stateDir, 'trust.json'), JSON.stringify({ folders: ['/src/one', '/src/two'] }));
  return session.uri;
}

/** The times of files are kept to the millisecond. */
const shown = ({ modifiedAt, ...artifact }: Artifact) => ({ ...artifact, modifiedAt: Math.round(modifiedAt) });

/** What a client can see of all sessions. */
async function seen(host: TestHost) {
  const client = await host.connect();
  const list = async () => (await client.listSessions()).items;
  await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBe(2);
  const items = [...(await list())].sort((a, b) => (a.resource < b.resource ? -1 : 1));
  const sessions = [];
  for (const { resource } of items) {
    const session = await client.openSession(resource);
    const { items: artifacts } = await session.listArtifacts();
    const contents = [];
    for (const { uri } of artifacts) contents.push(Buffer.from((await client.fetchContent(uri)).bytes).toString());
    const messages = [];
    for await (const { userMessage } of session.history()) messages.push(await session.wholeMessage(userMessage));
    const { turns, summary } = session.confirmed.value;
    sessions.push({ turns, title: summary.title, artifacts: artifacts.map(shown), contents, messages });
  }
  const search = async (text: string) =>
    (await client.listSessions({ filter: { text } })).items.map((one) => one.title);
  await expect.poll(() => search('needle'), { timeout: 20_000 }).toContain('The moved one');
  const found = { needle: (await search('needle')).sort(), fork: await search('only fork') };
  return { titles: items.map(({ title }) => title), sessions, found };
}

describe('moving a state folder into a database and out again', () => {
  it('keeps every byte, and hosts on each side show the same', async () => {
    const [source, target, database] = [
      await cleanups.folder(),
      await cleanups.folder(),
      await postgres.server.newDatabase(),
    ];
    await fill(source);
    const before = await filesOf(source);
    expect(Object.keys(before).length).toBeGreaterThan(8);

    expect(await move(source, database)).toMatchObject({ copied: 2, same: 0, refused: [], trusted: 2 });
    expect(await move(database, target)).toMatchObject({ copied: 2, tokens: { added: 1, refused: [] }, trusted: 2 });
    expect(await filesOf(source)).toEqual(before);
    expect(await filesOf(target)).toEqual(before);
    const trusted = JSON.parse(await readFile(join(target, 'trust.json'), 'utf8')) as { folders: string[] };
    expect(trusted.folders).toEqual(['/src/one', '/src/two']);
    expect(await readFile(join(target, 'tokens.json'))).toEqual(await readFile(join(source, 'tokens.json')));

    const views = [];
    for (const options of [{ stateDir: source }, { database }, { stateDir: target }]) {
      const host = await startTestHost(options);
      views.push(await seen(host));
      await host.dispose();
    }
    expect(views[0]).toMatchObject({ found: { needle: ['The fork', 'The moved one'], fork: ['The fork'] } });
    expect(views[1]).toEqual(views[0]);
    expect(views[2]).toEqual(views[0]);
  });

  it('continues the numbers of envelopes above those of the moved logs', async () => {
    const [source, database, target] = [
      await cleanups.folder(),
      await postgres.server.newDatabase(),
      await cleanups.folder(),
    ];
    const first = await startTestHost({ stateDir: source });
    // The numbers of a folder that has been used for long.
    await first.dispose();
    for (const name of ['sequence', 'sequence.copy']) await rm(join(source, name));
    const { SequenceFile } = await import('../../src/storage/stateRoot/sequenceFile.js');
    await SequenceFile.open(source, { atLeast: 7_654_321 });
    const uri = await fill(source);
    const numbersOf = async (options: { stateDir: string } | { database: string }) => {
      const host = await startTestHost(options);
      const client = await host.raw('alice');
      await client.stateOf(uri);
      const { serverSeq } = await client.act({ type: 'session/titleChanged', session: uri, title: 'Again' });
      await host.dispose();
      return serverSeq;
    };
    await move(source, database);
    await move(database, target);
    expect(await numbersOf({ database })).toBeGreaterThan(7_754_321);
    expect(await numbersOf({ stateDir: target })).toBeGreaterThan(7_754_321);
  });

  it('skips a session that is there with the same bytes, and refuses one with others, in both directions', async () => {
    const [source, database] = [await cleanups.folder(), await postgres.server.newDatabase()];
    const uri = await fill(source);
    const id = uri.slice('mock:/'.length);
    await move(source, database);
    expect(await move(source, database)).toMatchObject({ copied: 0, same: 2, refused: [], tokens: { added: 0 } });
    expect(await move(database, source)).toMatchObject({ copied: 0, same: 2, refused: [], tokens: { added: 0 } });
    const log = join(source, 'session-state', id, 'events.jsonl');
    const bytes = await readFile(log);
    // One byte is another.
    await writeFile(log, bytes.with(bytes.length - 3, 0x20));
    expect(await move(source, database)).toMatchObject({ same: 1, refused: [{ sessionId: id, file: 'events.jsonl' }] });
    await writeFile(log, bytes);
    expect(await move(source, database)).toMatchObject({ same: 2, refused: [] });
    await appendFile(log, 'more\n');
    const before = await filesOf(source);
    const refused = [{ sessionId: id, file: 'events.jsonl' }];
    expect(await move(source, database)).toMatchObject({ copied: 0, same: 1, refused });
    expect(await move(database, source)).toMatchObject({ copied: 0, same: 1, refused });
    expect(await filesOf(source)).toEqual(before);
    await writeFile(join(source, 'session-state', id, 'another'), 'file');
    await truncate(log, 10);
    expect(await move(database, source)).toMatchObject({ copied: 0, same: 1, refused: [{ sessionId: id }] });
  });

  it('goes on after it was interrupted in the middle of a session', async () => {
    const [source, database, target] = [
      await cleanups.folder(),
      await postgres.server.newDatabase(),
      await cleanups.folder(),
    ];
    await fill(source);
    const before = await filesOf(source);
    for (const to of [database, target]) {
      // At every step a little later, until one comes through.
      for (let steps = 1; ; steps += 4) {
        let left = steps;
        const signal = new AbortController().signal;
        signal.throwIfAborted = () => {
          if (left-- <= 0) throw new Error('interrupted');
        };
        const done = await move(to === target ? database : source, to, { signal }).catch((error: Error) => error);
        if (!(done instanceof Error)) break;
        expect(done.message).toBe('interrupted');
      }
    }
    expect(await filesOf(target)).toEqual(before);
  });

  it('refuses a folder that a host holds, and a database that a host uses, and says which', async () => {
    const [source, empty, database] = [
      await cleanups.folder(),
      await cleanups.folder(),
      await postgres.server.newDatabase(),
    ];
    const host = await startTestHost({ stateDir: source });
    await expect(move(source, database)).rejects.toThrow(/can't be used: .*process .*Stop it/);
    await host.dispose();
    const user = await startTestHost({ database, leaseMs: 1_000 });
    const session = await (await user.connect()).createSession({ provider: 'mock' });
    await session.ready();
    const uses = `A host uses this database: ${hostname()} (${user.url.href}), which has 1 session open.`;
    await expect(move(source, database)).rejects.toThrow(uses);
    await expect(move(database, empty)).rejects.toThrow(uses);
    await user.dispose();
    expect(await move(database, empty)).toMatchObject({ copied: 1 });
    await expect(move(source, source)).rejects.toThrow('Both sides are the same.');
    await symlink(source, `${source}-link`);
    cleanups.push(() => rm(`${source}-link`, { force: true }));
    await expect(move(source, `${source}-link`)).rejects.toThrow(/can't be used/);
    await expect(move(join(empty, 'nothing'), database)).rejects.toThrow('is not a state folder');
  });

  it('copies the others when a session can not be read', async () => {
    const [source, database] = [await cleanups.folder(), await postgres.server.newDatabase()];
    const id = (await fill(source)).slice('mock:/'.length);
    // A name that is no text.
    const name = Buffer.concat([Buffer.from(`${join(source, 'session-state', id)}/bad-`), Buffer.from([0xff, 0xfe])]);
    await writeFile(name, 'x');
    expect(await move(source, database)).toMatchObject({ copied: 1, failed: [{ sessionId: id }] });
    await rm(name);
    expect(await move(source, database)).toMatchObject({ copied: 1, same: 1, failed: [] });
  });

  it('tells of a host that is started meanwhile', async () => {
    const database = await postgres.server.newDatabase();
    const { signal } = new AbortController();
    const options = { url: database, env: {}, leaseMs: 1_000, log: silentLog, onWaiting: () => undefined, signal };
    const side = await openDatabaseSide(options);
    cleanups.push(() => side.close());
    expect(await side.intruders()).toEqual([]);
    const host = await startTestHost({ database, leaseMs: 1_000 });
    expect(await side.intruders()).toEqual([`${hostname()} (${host.url.href})`]);
    await host.dispose();
    expect(await side.intruders()).toEqual([]);
  });

  it('waits for hosts that were killed, and takes their sessions', async () => {
    const [source, database, target] = [
      await cleanups.folder(),
      await postgres.server.newDatabase(),
      await cleanups.folder(),
    ];
    await fill(source);
    await move(source, database);
    await query(
      database,
      `insert into agenthost.host (id, place, machine, state_dir, version, link_key) values ('gone', 'p', 'away', '/', '1', 'k')`,
    );
    await query(database, `update agenthost.session set owner = 'gone'`);
    const waited: string[] = [];
    const report = await move(database, target, { onWaiting: (hosts) => waited.push(...hosts) });
    expect([waited, report.copied]).toEqual([['away'], 2]);
    expect(await filesOf(target)).toEqual(await filesOf(source));
  });

  it('gives the sessions and trusted folders the place that was asked for', async () => {
    const [source, database, target] = [
      await cleanups.folder(),
      await postgres.server.newDatabase(),
      await cleanups.folder(),
    ];
    await fill(source);
    await move(source, database, { place: 'office' });
    expect(await query(database, 'select distinct place from agenthost.session')).toEqual([{ place: 'office' }]);
    // Sessions of every place, but the folders of one.
    expect(await move(database, target)).toMatchObject({ copied: 2, trusted: 0 });
    expect(await move(database, target, { place: 'office' })).toMatchObject({ same: 2, trusted: 2 });
  });

  it('names device tokens that it does not replace', async () => {
    const [source, database] = [await cleanups.folder(), await postgres.server.newDatabase()];
    await fill(source);
    const host = await startTestHost({ database });
    await host.host.deviceTokens.add('Phone', 'driver');
    await host.dispose();
    expect(await move(source, database)).toMatchObject({ tokens: { added: 0, refused: ['phone'] } });
    const tokens = await query<{ name: string }>(database, 'select name, role from agenthost.token');
    expect(tokens).toEqual([{ name: 'Phone', role: 'driver' }]);
  });
});
