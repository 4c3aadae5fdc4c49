import { open, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListSessionsResult } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawClient } from '../support/rawClient.js';
import { type HostProcess, rawSession, spawnHost, temporaryFolder } from '../support/testHost.js';
import { amount, isWhole, LONG_MS } from './support/amount.js';

const ROUNDS = amount('index_rounds', { smoke: 4, full: 50 });
const BEFORE = 4;
const INDEX = 'index.sqlite';

/** The files of the index are damaged under a running host, while clients make sessions, list and search. */
describe('a session index that is damaged while the host runs', { timeout: LONG_MS }, () => {
  let stateDir: string;
  let host: HostProcess;
  let clients: RawClient[];
  /** Each session that a client was told of, and a word that was said in it alone. */
  let made: Map<string, string>;

  const file = (suffix = '') => join(stateDir, `${INDEX}${suffix}`);
  const connect = async () => {
    const client = await RawClient.open(host);
    await client.request('initialize', { protocolVersion: 2, clientId: crypto.randomUUID() });
    clients.push(client);
    return client;
  };
  const makeSession = async (client: RawClient) => {
    const session = await rawSession([client]);
    const word = `w${session.slice(-12)}`;
    const userMessage = { text: word };
    client.dispatch({ type: 'session/turnStarted', session, turnId: 't', userMessage });
    await client.nextAction(session, 'session/turnComplete');
    made.set(session, word);
  };
  const list = (client: RawClient, text?: string) =>
    client.request<ListSessionsResult>('listSessions', { limit: 500, ...(text && { filter: { text } }) });
  const mustList = async (client: RawClient) => {
    const known = [...made.keys()];
    const listed = new Set((await list(client)).items.map(({ resource }) => resource));
    expect(
      known.filter((session) => !listed.has(session)),
      'sessions that the list lacks',
    ).toEqual([]);
  };
  const mustFind = async (client: RawClient, session: string) => {
    const { items } = await list(client, made.get(session));
    expect(items.map(({ resource }) => resource)).toEqual([session]);
  };
  const garble = async (path: string, from = 0) => {
    const { size } = await stat(path);
    const handle = await open(path, 'r+');
    await handle.write(Buffer.alloc(Math.max(size - from, 0), 0xa5), 0, undefined, from);
    await handle.close();
  };

  beforeEach(async () => {
    stateDir = await temporaryFolder();
    made = new Map();
    clients = [];
    host = await spawnHost(stateDir);
    const client = await connect();
    for (let n = 0; n < BEFORE; n++) await makeSession(client);
  });
  afterEach(async () => {
    for (const client of clients) await client.end();
    await host.kill('SIGKILL');
    await rm(stateDir, { recursive: true, force: true });
  });

  const damages: readonly (readonly [string, () => Promise<void>])[] = [
    ['pages overwritten', () => garble(file(), 4_096)],
    ['all of it overwritten', () => garble(file())],
    ['the write-ahead log overwritten', () => garble(file('-wal'))],
    ['cut to nothing', () => truncate(file(), 0)],
    ['cut in half', async () => truncate(file(), Math.floor((await stat(file())).size / 2))],
    ['the write-ahead log cut to nothing', () => truncate(file('-wal'), 0)],
    ['deleted', () => rm(file())],
    ['the write-ahead log deleted', () => rm(file('-wal'))],
    [
      'deleted with all that belongs to it',
      async () => {
        for (const name of await readdir(stateDir)) if (name.startsWith(INDEX)) await rm(join(stateDir, name));
      },
    ],
    [
      'replaced by something else',
      async () => {
        await writeFile(file('-other'), 'not an index '.repeat(1_000));
        await rename(file('-other'), file());
      },
    ],
  ];

  const someOf = (...names: readonly string[]) => damages.filter(([name]) => isWhole || names.includes(name));

  async function liveWith(damage: () => Promise<void>) {
    const [maker, reader] = [await connect(), await connect()];
    await damage();
    for (let round = 0; round < ROUNDS; round++) {
      const old = [...made.keys()][round % BEFORE] ?? '';
      await Promise.all([makeSession(maker), mustList(reader), mustFind(reader, old)]);
    }
    await mustFind(reader, [...made.keys()].at(-1) ?? '');
    await host.kill('SIGKILL');
    host = await spawnHost(stateDir);
    const client = await connect();
    await mustList(client);
    for (const session of made.keys()) await mustFind(client, session);
  }

  it.each(someOf('pages overwritten', 'the write-ahead log overwritten', 'deleted with all that belongs to it'))(
    '%s: every session stays listed and found, also after a kill',
    async (_, damage) => {
      await mustFind(clients[0] as RawClient, [...made.keys()][0] ?? '');
      await liveWith(damage);
    },
  );

  it.each(someOf('cut to nothing', 'deleted', 'replaced by something else'))(
    '%s, before the search thread has opened it: the same',
    async (_, damage) => {
      await liveWith(damage);
    },
  );
});
