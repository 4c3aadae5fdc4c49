import { rm } from 'node:fs/promises';
import { connect, type HostClient, type SessionHandle } from '@agenthost/client';
import { afterEach, expect, it } from 'vitest';
import { type Balancer, startBalancer } from '../../../scripts/balancer.js';
import { postgresOfFile } from '../../support/storage/postgresOfFile.js';
import { type HostProcess, spawnHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const LONG = 60_000;
const CLIENTS = 4;

const postgres = postgresOfFile();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(database: string, balancer: Balancer): Promise<HostProcess> {
  const stateDir = await temporaryFolder();
  cleanups.push(() => rm(stateDir, { recursive: true, force: true }));
  const shared = ['--database', database, '--lease', '2', '--public-url', balancer.url.origin];
  const host = await spawnHost(stateDir, ['--state-dir', stateDir, ...shared]);
  cleanups.push(() => host.kill('SIGKILL'));
  await balancer.add(host.url);
  return host;
}

interface Worker {
  readonly client: HostClient;
  readonly session: SessionHandle;
  readonly sent: string[];
  readonly work: Promise<void>;
}

it('every host is replaced under load: no message is lost or doubled, no turn interrupted', {
  timeout: 4 * LONG,
}, async () => {
  const database = await postgres.server.newDatabase();
  const balancer = await startBalancer();
  cleanups.push(() => balancer.close());
  const hosts = [await start(database, balancer), await start(database, balancer)];
  const token = hosts[0]?.token ?? '';
  let isDone = false;
  const begin = async (n: number): Promise<Worker> => {
    const client = await connect({ url: balancer.url, token, clientInfo: { name: `client ${n}` } });
    cleanups.push(() => client.close());
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    const sent: string[] = [];
    const work = (async () => {
      while (!isDone) {
        const id = await session.send(n % 2 === 0 ? 'hello' : 'stream 10000');
        sent.push(id);
        await until(session.confirmed, ({ turns }) => turns.some((ended) => ended.id === id), `turn ${id}`, LONG);
      }
    })();
    work.catch(() => {});
    return { client, session, sent, work };
  };
  const workers = await Promise.all(Array.from({ length: CLIENTS }, (_, n) => begin(n)));
  for (const host of [...hosts]) {
    const before = workers.map(({ sent }) => sent.length);
    await start(database, balancer);
    expect(await host.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    await expect
      .poll(() => workers.every(({ sent }, n) => sent.length > (before[n] ?? 0) + 3), { timeout: LONG })
      .toBe(true);
  }
  isDone = true;
  await Promise.all(workers.map(({ work }) => work));
  for (const { client, session, sent } of workers) {
    const anew = await connect({ url: balancer.url, token });
    cleanups.push(() => anew.close());
    const stored = await anew.openSession(session.uri);
    for (const { turns, earlierTurns = 0 } of [session.confirmed.value, stored.confirmed.value]) {
      // Older ones than these are not in the state.
      expect(earlierTurns + turns.length).toBe(sent.length);
      expect(turns.map(({ id }) => id)).toEqual(sent.slice(earlierTurns));
      expect(turns.filter(({ state }) => state !== 'complete')).toEqual([]);
    }
    client.close();
  }
});
