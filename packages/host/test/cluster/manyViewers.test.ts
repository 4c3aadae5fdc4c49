import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import type { HostProcess } from '../../../../test/support/testHost.js';
import { hostProcesses } from './support/hostProcesses.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();
const processes = hostProcesses(cleanups);

const VIEWERS = 1_500;
const HOSTS = 3;
const TITLES = Array.from({ length: 40 }, (_, n) => `title ${n}`);
/** So many connect at a time. */
const TOGETHER = 25;

/** Looks at one session, and remembers the titles that it is told. */
async function viewer({ url, token }: HostProcess, session: string) {
  const socket = new WebSocket(new URL('/ws', url), { headers: { authorization: `Bearer ${token}` } });
  cleanups.push(async () => socket.terminate());
  const titles: string[] = [];
  const all = Promise.withResolvers<readonly string[]>();
  const answers = new Map<number, () => void>();
  socket.on('close', (code, why) => all.reject(new Error(`a viewer was cut off with ${code}: ${why}`)));
  all.promise.catch(() => {});
  socket.on('message', (data) => {
    const { id, params } = JSON.parse(String(data));
    if (id !== undefined) answers.get(id)?.();
    const action = params?.envelope?.action;
    if (action?.type !== 'session/titleChanged') return;
    titles.push(action.title);
    if (titles.length === TITLES.length) all.resolve(titles);
  });
  await once(socket, 'open');
  const request = (id: number, method: string, params: object) =>
    new Promise<void>((resolve) => {
      answers.set(id, resolve);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  await request(1, 'initialize', { protocolVersion: 1, clientId: randomUUID() });
  await request(2, 'subscribe', { resource: session });
  return { heard: all.promise };
}

describe('a session that 1,500 clients of three hosts look at', () => {
  it('tells each of them everything, in order and once', { timeout: 300_000 }, async () => {
    const database = await postgres.server.newDatabase();
    const hosts: HostProcess[] = [];
    for (let n = 0; n < HOSTS; n++) hosts.push(await processes.start(database, '--lease', '30'));
    const [owner] = hosts;
    if (!owner) throw new Error('there are hosts');
    const writer = await processes.client(owner, 'writer');
    const session = `mock:/${randomUUID()}`;
    await writer.request('createSession', { session });
    const views: Promise<readonly string[]>[] = [];
    while (views.length < VIEWERS) {
      const some = Array.from({ length: TOGETHER }, (_, n) => viewer(hosts[n % HOSTS] ?? owner, session));
      for (const { heard } of await Promise.all(some)) views.push(heard);
    }
    for (const title of TITLES) writer.dispatch({ type: 'session/titleChanged', session, title });
    for (const heard of await Promise.all(views)) expect(heard).toEqual(TITLES);
  });
});
