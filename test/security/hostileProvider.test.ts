import type { HostClient, SessionFsHandler } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemorySessionFs } from '../../packages/host/src/storage/fs/memorySessionFs.js';
import type { RawClient } from '../support/rawClient.js';
import { memoryHandler } from '../support/storage/memoryProvider.js';
import { startTestHost, type TestHost } from '../support/testHost.js';
import { until } from '../support/until.js';

const CONFIG = { initialCwd: '/tmp', sessionStatePath: '/state', conventions: 'posix' } as const;
const ESCAPES = [
  '../../../etc/passwd',
  '/etc/passwd',
  '..',
  '.',
  '',
  'a/b',
  'a\u0000b',
  'a\\..\\b',
  '\u202e',
  '__proto__',
];

/** A client that keeps the sessions' files, and lies. The host and its other clients must not come to harm. */
describe('a hostile provider of files', () => {
  let host: TestHost;
  let other: RawClient;
  beforeEach(async () => {
    host = await startTestHost();
  });
  afterEach(async () => {
    await other?.end();
    await host.dispose();
  });

  async function keeper(lies: (honest: SessionFsHandler) => Partial<SessionFsHandler>) {
    const client = await host.connect({ sessionFs: CONFIG });
    const createSessionFsHandler = () => {
      const honest = memoryHandler(new MemorySessionFs({ sessionStatePath: CONFIG.sessionStatePath }));
      return { ...honest, ...lies(honest) } as SessionFsHandler;
    };
    other = await host.raw('other');
    return { client, createSessionFsHandler };
  }

  async function work(client: HostClient, createSessionFsHandler: () => SessionFsHandler): Promise<string> {
    try {
      const session = await client.createSession({ provider: 'mock', createSessionFsHandler });
      await session.ready(AbortSignal.timeout(10_000));
      await session.send('hello');
      await until(session.confirmed, ({ turns }) => turns.length === 1, 'the turn', 10_000);
      return 'worked';
    } catch (error) {
      return String(error);
    }
  }

  it.each<[string, (honest: SessionFsHandler) => object]>([
    ['texts where there are none', () => ({ exists: async () => true, readFile: async () => '{"v":1,"n":1' })],
    [
      'half a log',
      (honest) => ({
        readFile: async (path: string, encoding: 'utf-8') => (await honest.readFile(path, encoding)).slice(0, 40),
      }),
    ],
    [
      'failures without sense',
      () => ({ appendFile: () => Promise.reject(Object.assign(new Error('no'), { code: { toString: 1 } })) }),
    ],
  ])('point 8: lies with %s: a clear error or none, and the host continues', async (_what, lies) => {
    const { client, createSessionFsHandler } = await keeper(lies);
    expect(await work(client, createSessionFsHandler)).not.toMatch(/TypeError|undefined|internal error/);
    await other.fence();
    expect((await other.request<{ total: number }>('listSessions')).total).toBeGreaterThanOrEqual(0);
  });

  it('point 8: names that lead out are never requested, nor sent to clients', async () => {
    const asked: string[] = [];
    const { client, createSessionFsHandler } = await keeper((honest) => ({
      readdir: async () => ESCAPES,
      readdirWithTypes: async () => ESCAPES.map((name) => ({ name, type: 'file' as const })),
      readFile: async (path, encoding) => {
        asked.push(path);
        return honest.readFile(path, encoding);
      },
      stat: async (path) => {
        asked.push(path);
        return honest.stat(path);
      },
    }));
    const session = await client.createSession({ provider: 'mock', createSessionFsHandler });
    await session.ready();
    const listed = await other.ask('listArtifacts', { session: session.uri });
    const names = (listed.result as { items?: { name: string }[] } | undefined)?.items?.map(({ name }) => name) ?? [];
    expect(
      names.filter(
        (name) => ESCAPES.includes(name) && name !== '\u202e' && name !== '__proto__' && name !== 'a\\..\\b',
      ),
    ).toEqual([]);
    expect(
      asked.filter((path) => !path.startsWith('/state') || path.split('/').includes('..') || path.includes('\u0000')),
    ).toEqual([]);
  });

  it('point 7: invalid answers to every question: each a clear error, and the host continues', async () => {
    const lies = [
      5,
      'x',
      null,
      [],
      {},
      { data: 5 },
      { content: {} },
      { exists: 'yes' },
      { entries: [{ name: 1 }] },
      { __proto__: 1 },
    ];
    other = await host.raw('other');
    const keeper = await host.raw('keeper');
    let asked = 0;
    keeper.socket.on('message', (data) => {
      const { id, method } = JSON.parse(String(data)) as { id?: number; method?: string };
      if (id === undefined || !method?.startsWith('sessionFs.')) return;
      keeper.sendText(JSON.stringify({ jsonrpc: '2.0', id, result: lies[asked++ % lies.length] }));
    });
    await keeper.request('sessionFs.setProvider', CONFIG);
    for (let round = 0; round < lies.length; round++) {
      const { error } = await other.ask('createSession', { session: `mock:/lied-${round}` });
      expect(error?.message).toMatch(/^the session's files could not be read or written: .*(makes no sense|:)/);
      expect(error?.message).not.toMatch(/TypeError|undefined|Cannot read/);
      await other.fence();
    }
    expect(asked).toBeGreaterThanOrEqual(lies.length);
  });

  // Everything waits for what must be stored, so a silent one holds up all, for the 30 s of a call and no longer.
  it.runIf(process.env['AGENTHOST_FAULTS'] === 'all')(
    'point 7: one that never answers times out after 30 s',
    { timeout: 180_000 },
    async () => {
      let isSilent = false;
      const silence = new Promise<never>(() => {});
      const { client, createSessionFsHandler } = await keeper((honest) => ({
        appendFile: (path, content, options) => (isSilent ? silence : honest.appendFile(path, content, options)),
      }));
      const session = await client.createSession({ provider: 'mock', createSessionFsHandler });
      await session.ready();
      isSilent = true;
      const sent = session.send('hello').catch(String);
      // The SDK's own patience may end in the same moment; then it is told that it can't be the provider again.
      expect(await sent).toMatch(/could not be stored|SessionFsRefusedError/);
      await other.fence();
    },
  );

  it('point 7: a file that is larger than a frame ends the provider, and the host answers', async () => {
    const { client, createSessionFsHandler } = await keeper(() => ({
      exists: async () => true,
      readFile: async () => 'x'.repeat(65 * 1024 * 1024),
    }));
    const session = client.createSession({ provider: 'mock', createSessionFsHandler });
    await session.then((made) => made.ready(AbortSignal.timeout(20_000))).catch(() => {});
    await other.fence();
  });
});
