import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SessionFsConfig } from '@agenthost/client';
import type { ListSessionsResult } from '@agenthost/protocol';
import type { SetProviderResult } from '@agenthost/protocol/internal';
import { afterEach, describe, expect, it } from 'vitest';
import { MemorySessionFs } from '../../../packages/host/src/storage/fs/memorySessionFs.js';
import { JsonlEventLog } from '../../../packages/host/src/storage/log/jsonlEventLog.js';
import { HeardLog } from '../../support/heardLog.js';
import type { RawAddress, RawClient } from '../../support/rawClient.js';
import { say, textOf } from '../../support/say.js';
import { memoryHandler, textHandler } from '../../support/storage/memoryProvider.js';
import { SEED_CONFIG, SeedProvider } from '../../support/storage/seedProvider.js';
import { spawnHost, startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const cleanUp: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const run of cleanUp.splice(0).reverse()) await run();
});

async function started(...options: Parameters<typeof startTestHost>): Promise<TestHost> {
  const host = await startTestHost(...options);
  cleanUp.push(() => host.dispose());
  return host;
}

async function provided(provider: SeedProvider, host: RawAddress, more: object = {}) {
  const client = await provider.connect(host);
  cleanUp.push(() => client.end());
  const result = await client.request<SetProviderResult>('sessionFs.setProvider', { ...SEED_CONFIG, ...more });
  return { client, result };
}

async function make(provider: SeedProvider, client: RawClient, id: string): Promise<void> {
  provider.add(id);
  await client.request('createSession', { session: `mock:/${id}` });
  if ((await client.stateOf(`mock:/${id}`)).lifecycle === 'creating') {
    await client.nextAction(`mock:/${id}`, 'session/ready');
  }
}

async function logOf(sessionId: string): Promise<string> {
  const fs = new MemorySessionFs({ sessionStatePath: '/state' });
  const log = await JsonlEventLog.open({ fs });
  log.append({
    type: 'session.start',
    sessionId,
    provider: 'mock',
    cwd: '/tmp',
    versions: { log: 1, protocol: 1 },
    createdAt: 1,
  });
  log.append({ type: 'action', serverSeq: 1, action: { type: 'session/ready', session: `mock:/${sessionId}`, at: 1 } });
  await log.close();
  return fs.readFile('/state/events.jsonl');
}

async function listed(client: { request<T>(method: string, params?: object): Promise<T> }): Promise<string[]> {
  const { items } = await client.request<ListSessionsResult>('listSessions', { limit: 500 });
  return items.map(({ resource }) => resource).sort();
}

describe('sessions kept by a file provider, after a restart of the host', () => {
  it('[FS5] are listed when the provider accepts files without a session, without removed ones', async () => {
    const provider = new SeedProvider({ takesAnyId: true });
    const before = await started();
    const first = await provided(provider, before);
    for (const id of ['one', 'two', 'three']) await make(provider, first.client, id);
    await first.client.act({ type: 'session/titleChanged', session: 'mock:/one', title: 'Kept' });
    await first.client.request('forkSession', { source: 'mock:/one', session: 'mock:/fork' });
    await first.client.request('disposeSession', { session: 'mock:/two' });
    // It may still write otherwise, while the next one reads.
    await before.host.close();

    const { client } = await provided(provider, await started());
    expect(await listed(client)).toEqual(['mock:/fork', 'mock:/one', 'mock:/three']);
    const { items } = await client.request<ListSessionsResult>('listSessions', { filter: { text: 'Kept' } });
    expect(items.map(({ title }) => title)).toContain('Kept');
  });

  it('[FS5] are listed when the provider names them, and announced', async () => {
    const provider = new SeedProvider();
    const first = await provided(provider, await started());
    for (const id of ['one', 'two']) await make(provider, first.client, id);

    const host = await started();
    const other = await host.raw('other');
    const sessions = ['mock:/one', 'mock:/two', 'mock:/never-was', 'nonsense'];
    const { client } = await provided(provider, host, { sessions });
    expect(await listed(client)).toEqual(['mock:/one', 'mock:/two']);
    await other.fence();
    const added = other.notifications.flatMap((told) =>
      told.type === 'notify/sessionAdded' ? [told.summary.resource] : [],
    );
    expect(added.sort()).toEqual(['mock:/one', 'mock:/two']);
  });

  it('are listed when they are opened if no list is known', async () => {
    const provider = new SeedProvider();
    const first = await provided(provider, await started());
    await make(provider, first.client, 'one');
    const { client } = await provided(provider, await started());
    expect(await listed(client)).toEqual([]);
    await client.stateOf('mock:/one');
    expect(await listed(client)).toEqual(['mock:/one']);
  });

  it('[FS5] are listed as interrupted when the host was killed during a turn, and continue', async () => {
    const stateDir = await temporaryFolder();
    cleanUp.push(() => rm(stateDir, { recursive: true, force: true }));
    const provider = new SeedProvider({ takesAnyId: true });
    const spawned = async () => {
      const host = await spawnHost(stateDir);
      cleanUp.push(() => host.kill('SIGKILL'));
      return { host, ...(await provided(provider, host)) };
    };
    const first = await spawned();
    await make(provider, first.client, 'one');
    const message = { type: 'session/turnStarted', session: 'mock:/one', turnId: 't1', userMessage: { text: 'slow' } };
    await first.client.act(message);
    await first.client.nextAction('mock:/one', 'session/delta');
    await first.host.kill('SIGKILL');

    const { client } = await spawned();
    const { items } = await client.request<ListSessionsResult>('listSessions', {});
    expect(items).toMatchObject([{ resource: 'mock:/one', status: 'error', title: 'slow' }]);
    const [turn] = (await client.stateOf('mock:/one')).turns;
    expect(turn).toMatchObject({ id: 't1', state: 'error', error: { errorType: 'interrupted' } });
    await client.act({ ...message, turnId: 't2', userMessage: { text: 'hello' } });
    await client.nextAction('mock:/one', 'session/turnComplete');
  });

  it('can be a thousand, in a list with unreadable lines', async () => {
    const provider = new SeedProvider({ takesAnyId: true });
    const ids = Array.from({ length: 1_000 }, (_, n) => `many-${n}`);
    for (const id of ids) provider.sessions.set(id, new Map([['/state/events.jsonl', await logOf(id)]]));
    const lines = ids.map((id) => `\n+${id}\n`).join('');
    provider.sessions.set('agenthost-host', new Map([['/state/sessions.txt', `+half a line${lines}\n+../x\n-cut o`]]));
    const { client } = await provided(provider, await started());
    const total = async () => (await client.request<ListSessionsResult>('listSessions', { limit: 1 })).total;
    await expect.poll(total, { timeout: 60_000 }).toBe(1_000);
  });

  it("can not have the id of the host's own files", async () => {
    const provider = new SeedProvider({ takesAnyId: true });
    const { client } = await provided(provider, await started());
    const { message } = await client.refusal('createSession', { session: 'mock:/agenthost-host' });
    expect(message).toContain('pick another id');
  });

  it('are listed for a client of the SDK that names them, whatever its handlers keep', async () => {
    for (const kind of [memoryHandler, textHandler]) {
      const stored = new Map<string, MemorySessionFs>();
      const sessionFs: SessionFsConfig = {
        ...SEED_CONFIG,
        sessions: async () => [...stored.keys()],
        createSessionFsHandler: (uri) => {
          const files = stored.get(uri) ?? new MemorySessionFs({ sessionStatePath: SEED_CONFIG.sessionStatePath });
          stored.set(uri, files);
          return kind(files);
        },
      };
      const first = await (await started()).connect({ sessionFs });
      const session = await first.createSession({ provider: 'mock' });
      await session.ready();
      await say(session, 'ü€🦊');
      first.close();
      const again = await (await started()).connect({ sessionFs });
      expect((await again.listSessions()).items.map(({ resource }) => resource)).toEqual([session.uri]);
      const resumed = await again.openSession(session.uri);
      expect(resumed.confirmed.value.turns).toEqual(session.confirmed.value.turns);
    }
    const lacking = { ...SEED_CONFIG, sessions: [] };
    await expect(started().then((host) => host.connect({ sessionFs: lacking }))).rejects.toThrow(
      'createSessionFsHandler',
    );
  });
});

describe('setProvider', () => {
  it('[FS1] is refused when the host has stored sessions, which stay for all clients', async () => {
    const stateDir = await temporaryFolder();
    cleanUp.push(() => rm(stateDir, { recursive: true, force: true }));
    const before = await startTestHost({ stateDir });
    const client = await before.connect();
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    await before.dispose();

    const host = await started({ stateDir });
    const other = await host.raw('other');
    const keeper = await new SeedProvider().connect(host);
    cleanUp.push(() => keeper.end());
    const { message } = await keeper.refusal('sessionFs.setProvider', SEED_CONFIG);
    expect(message).toMatch(/this host keeps sessions of its own.*--state-dir/);
    expect(await listed(other)).toEqual([session.uri]);
    expect(other.notifications.map(({ type }) => type)).not.toContain('notify/sessionRemoved');
  });

  it('[FS1] is refused while a session is being imported', async () => {
    const host = await started();
    const importer = await host.raw('importer');
    await importer.request('importSession', { session: 'mock:/half', turns: [], more: true });
    const keeper = await new SeedProvider().connect(host);
    cleanUp.push(() => keeper.end());
    const { message } = await keeper.refusal('sessionFs.setProvider', SEED_CONFIG);
    expect(message).toMatch(/sessions are active already|sessions of its own/);
  });

  it('[FS1] is refused to a second client while the first is probed, and after it disconnected', async () => {
    const host = await started();
    const [silent, second] = [await host.raw('silent'), await new SeedProvider().connect(host)];
    cleanUp.push(() => second.end());
    const answered = silent.ask('sessionFs.setProvider', SEED_CONFIG);
    await silent.next(({ method }) => method === 'sessionFs.mkdir', 'the first question');
    expect((await second.refusal('sessionFs.setProvider', SEED_CONFIG)).message).toContain('another client is');
    expect((await answered).error).toBeUndefined();
    await silent.end();
    await expect
      .poll(async () => (await second.refusal('sessionFs.setProvider', SEED_CONFIG)).message)
      .toContain('has gone, and this host with it: restart it first');
  });

  it('[FS6] reports a missing initialCwd in its answer and in the log, and so does a session that needs it', async () => {
    const log = new HeardLog();
    const host = await started({ log });
    const initialCwd = join(host.stateDir, 'not', 'there');
    const provider = new SeedProvider();
    const { client, result } = await provided(provider, host, { initialCwd });
    expect(result).toEqual({
      success: true,
      warnings: [expect.stringContaining(`initialCwd: ${initialCwd} does not exist`)],
    });
    expect(log.messages.join('\n')).toContain(`initialCwd: ${initialCwd} does not exist`);
    provider.add('one');
    const { message } = await client.refusal('createSession', { session: 'mock:/one' });
    expect(message).toContain(`${initialCwd}, where sessions work without one, does not exist on the host's machine`);
    const workingDirectory = pathToFileURL(host.stateDir).href;
    await client.request('createSession', { session: 'mock:/one', workingDirectory });
    provider.add('two');
    await mkdir(initialCwd, { recursive: true });
    await client.request('createSession', { session: 'mock:/two' });
  });

  it('reports an initialCwd that is a file', async () => {
    const host = await started();
    const initialCwd = join(host.stateDir, 'file');
    await writeFile(initialCwd, '');
    const warnings: unknown[] = [];
    const sessionFs = { ...SEED_CONFIG, initialCwd };
    await host.connect({ sessionFs, onError: (error) => warnings.push(error) });
    expect(String(warnings)).toContain('is not a directory');
  });
});

describe('a host that stops', () => {
  it('writes everything that clients have seen to the provider before it stops', async () => {
    const provider = new SeedProvider();
    const host = await startTestHost();
    const { client } = await provided(provider, host);
    await make(provider, client, 'one');
    const session = await (await host.connect()).openSession('mock:/one');
    await session.send('stream 100000');
    const seen = await until(session.confirmed, ({ activeTurn }) => textOf(activeTurn).length > 20_000);
    await host.dispose();
    const again = await provided(provider, await started());
    const [turn] = (await again.client.stateOf('mock:/one')).turns;
    expect(turn).toMatchObject({ state: 'error', error: { errorType: 'interrupted' } });
    expect(textOf(turn).startsWith(textOf(seen.activeTurn))).toBe(true);
  });
});

describe('a provider that is gone or fails', () => {
  const ABOUT_CLIENT = /the client that keeps the sessions' files/;
  const ABOUT_DISK = /disk|make room/i;

  it('[FS4] is reported as such, with what to do, to every refused client', async () => {
    const host = await started();
    const provider = new SeedProvider();
    const { client } = await provided(provider, host);
    await make(provider, client, 'one');
    const other = await host.connect();
    const session = await other.openSession('mock:/one');
    await session.send('slow');
    await until(session.confirmed, ({ activeTurn }) => (activeTurn?.responseParts.length ?? 0) > 0);
    await client.end();
    const { turns } = await until(session.confirmed, (state) => state.turns.length === 1);
    const said: string[] = [JSON.stringify(turns[0])];
    const refused = (attempt: Promise<unknown>) =>
      attempt.then(
        () => said.push('accepted'),
        (error) => said.push(String(error)),
      );
    await refused(session.rename('another'));
    await refused(session.send('hello'));
    await refused(session.send({ text: 'x'.repeat(100_000) }));
    await refused(other.createSession({ provider: 'mock' }));
    await refused(other.forkSession({ source: 'mock:/one' }));
    await refused(other.openSession('mock:/two'));
    // By a client that is not subscribed: subscribers are disconnected, to reconnect to the session that could not be removed.
    await refused((await host.connect()).disposeSession('mock:/one'));
    for (const message of said) {
      expect(message).toMatch(ABOUT_CLIENT);
      expect(message).toMatch(/has disconnected; restart the host and connect that client first/);
      expect(message).not.toMatch(ABOUT_DISK);
    }
  });

  it('[FS4] has its error passed on, and works again when it does', async () => {
    const host = await started();
    const provider = new SeedProvider();
    const { client } = await provided(provider, host);
    await make(provider, client, 'one');
    const other = await host.connect();
    const session = await other.openSession('mock:/one');
    provider.lie = ({ method }) =>
      method === 'appendFile' ? { code: 'UNKNOWN', message: 'the bucket is full' } : undefined;
    const refusal = await session.rename('another').catch(String);
    expect(refusal).toMatch(ABOUT_CLIENT);
    expect(refusal).toMatch(/the bucket is full\); look at that client, then try again/);
    expect(refusal).not.toMatch(ABOUT_DISK);
    provider.lie = undefined;
    await session.rename('another');
  });
});
