import { type HostClient, SessionFsRefusedError } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSessionFsAdapter } from '../../../packages/client/src/sessionFs/sessionFsAdapter.js';
import { MemorySessionFs } from '../../../packages/host/src/storage/fs/memorySessionFs.js';
import { textOf } from '../../support/say.js';
import { memoryHandler } from '../../support/storage/memoryProvider.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const CONFIG = { initialCwd: '/tmp', sessionStatePath: '/state', conventions: 'posix' } as const;

describe('a client that keeps the sessions', () => {
  let host: TestHost;
  const files = new Map<string, MemorySessionFs>();
  const createSessionFsHandler = (session: string) => {
    const stored = files.get(session) ?? new MemorySessionFs({ sessionStatePath: CONFIG.sessionStatePath });
    files.set(session, stored);
    return memoryHandler(stored);
  };
  const keeper = () => host.connect({ sessionFs: CONFIG });
  const make = (client: HostClient) => client.createSession({ provider: 'mock', createSessionFsHandler });

  beforeEach(async () => {
    host = await startTestHost();
  });
  afterEach(async () => {
    files.clear();
    await host.dispose();
  });

  it('has all files of its sessions; others use them as usual, and another host continues with them', async () => {
    const client = await keeper();
    const session = await make(client);
    await session.ready();
    await session.send('hello');
    await until(session.confirmed, ({ turns }) => turns.length === 1);
    const other = await host.connect();
    const theirs = await other.openSession(session.uri);
    expect(theirs.confirmed.value.turns).toEqual(session.confirmed.value.turns);
    expect((await other.listSessions()).items.map(({ resource }) => resource)).toEqual([session.uri]);
    const stored = files.get(session.uri);
    expect((await stored?.readdir('/state'))?.sort()).toEqual(['events.jsonl', 'workspace.yaml']);
    client.close();

    const second = await startTestHost();
    try {
      const again = await second.connect({ sessionFs: CONFIG });
      const resumed = await again.openSession(session.uri, { createSessionFsHandler });
      expect(resumed.confirmed.value.turns).toEqual(session.confirmed.value.turns);
      await resumed.send('hello');
      await until(resumed.confirmed, ({ turns }) => turns.length === 2);
    } finally {
      await second.dispose();
    }
  });

  it('releases the handler of a removed session, whichever client removed it', async () => {
    const client = await keeper();
    const made: string[] = [];
    const session = `mock:/${crypto.randomUUID()}`;
    const create = async () => {
      const handler = (uri: string) => {
        made.push(uri);
        return createSessionFsHandler(uri);
      };
      const created = await client.createSession({ provider: 'mock', session, createSessionFsHandler: handler });
      await created.ready();
      created.close();
    };
    await create();
    await client.disposeSession(session);
    await create();
    const removed = Promise.withResolvers<void>();
    client.onNotification(({ type }) => type === 'notify/sessionRemoved' && removed.resolve());
    await (await host.connect()).disposeSession(session);
    await removed.promise;
    await create();
    expect(made).toEqual([session, session, session]);
  });

  it('restores a session whose log is larger than other frames may be', async () => {
    const client = await keeper();
    const session = await make(client);
    await session.ready();
    for (let n = 1; n <= 6; n++) {
      await session.send('stream 80000');
      await until(session.confirmed, ({ turns }) => turns.length === n, 'the end of the turn', 60_000);
    }
    const { size } = (await files.get(session.uri)?.stat('/state/events.jsonl')) ?? { size: 0 };
    expect(size).toBeGreaterThan(8 * 1024 * 1024);
    client.close();
    const second = await startTestHost();
    try {
      const again = await second.connect({ sessionFs: CONFIG });
      const resumed = await again.openSession(session.uri, { createSessionFsHandler });
      const said = Array.from({ length: 80_000 }, (_, n) => `delta ${String(n).padStart(13, '0')}\n`).join('');
      const ids = session.confirmed.value.turns.map(({ id }) => id);
      for await (const turn of resumed.history({ includeLoaded: true })) {
        expect(turn.id).toBe(ids.pop());
        expect(textOf(await resumed.wholeTurn(turn)) === said).toBe(true);
      }
      expect(ids).toEqual([]);
    } finally {
      await second.dispose();
    }
  });

  it('must come before the first session, and be the only one', async () => {
    const early = await host.connect();
    await early.createSession({ provider: 'mock' });
    await expect(keeper()).rejects.toThrow('sessions are active already');
    await host.dispose();
    host = await startTestHost();
    await keeper();
    await expect(keeper()).rejects.toThrow(SessionFsRefusedError);
    await expect(keeper()).rejects.toThrow('another client is the session file system of this host already');
  });

  it('needs a handler for every session, at once', async () => {
    const client = await keeper();
    await expect(client.createSession({ provider: 'mock' })).rejects.toThrow('createSessionFsHandler');
    await expect(client.openSession('mock:/elsewhere')).rejects.toThrow('createSessionFsHandler');
  });

  it('ends running turns when it disconnects, and nothing can be stored after that', async () => {
    const client = await keeper();
    const session = await make(client);
    await session.ready();
    const other = await host.connect();
    const theirs = await other.openSession(session.uri);
    await session.send('slow');
    await until(theirs.confirmed, ({ activeTurn }) => (activeTurn?.responseParts.length ?? 0) > 0);
    client.close();
    const ended = await until(theirs.confirmed, ({ turns }) => turns.length === 1);
    expect(ended.turns[0]).toMatchObject({ state: 'error', error: { errorType: 'storage' } });
    await expect(other.createSession({ provider: 'mock' })).rejects.toMatchObject({ code: -32050 });
    await expect(theirs.rename('lost')).rejects.toThrow('could not be stored');
    expect(theirs.confirmed.value.summary.title).toBe('slow');
    await expect(keeper()).rejects.toThrow(SessionFsRefusedError);
  });
});

describe('createSessionFsAdapter', () => {
  it('passes ENOENT on, and reports every other error as UNKNOWN', async () => {
    const failing = (error: unknown) =>
      createSessionFsAdapter(
        new Proxy({} as ReturnType<typeof memoryHandler>, {
          get: () => () => {
            throw error;
          },
        }),
      );
    const target = { sessionId: 's', path: '/a' };
    const missing = failing(Object.assign(new Error('no such file'), { code: 'ENOENT' }));
    const denied = failing(Object.assign(new Error('not yours'), { code: 'EACCES' }));
    const [enoent, unknown] = [
      { code: 'ENOENT', message: 'no such file' },
      { code: 'UNKNOWN', message: 'not yours' },
    ];
    expect(await missing['sessionFs.readFile'](target)).toEqual({ content: '', error: enoent });
    expect(await denied['sessionFs.readFile'](target)).toEqual({ content: '', error: unknown });
    expect(await missing['sessionFs.writeFile']({ ...target, content: '' })).toEqual(enoent);
    expect(await denied['sessionFs.mkdir'](target)).toEqual(unknown);
    expect(await missing['sessionFs.readdir'](target)).toEqual({ entries: [], error: enoent });
    expect((await missing['sessionFs.stat'](target)).error).toEqual(enoent);
  });
});
