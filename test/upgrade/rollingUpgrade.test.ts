import { connect } from '@agenthost/client';
import { describe, expect, it } from 'vitest';
import { type Balancer, startBalancer } from '../../scripts/balancer.js';
import { cleanupsOfTests } from '../support/cleanups.js';
import { postgresOfFile } from '../support/storage/postgresOfFile.js';
import { type HostProcess, spawnHost } from '../support/testHost.js';
import { TurnLoad } from '../support/turnLoad.js';
import { until } from '../support/until.js';
import { previousBuild, unpackPreviousBuild } from './previousBuild.js';

const LONG = 60_000;

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

type Build = 'previous' | 'present';

async function start(build: Build, database: string, balancer?: Balancer): Promise<HostProcess> {
  const stateDir = await cleanups.folder();
  const shared = ['--database', database, '--lease', '2'];
  const behind = balancer ? ['--public-url', balancer.url.origin] : [];
  const command = build === 'previous' ? { command: await unpackPreviousBuild() } : {};
  const host = await spawnHost(stateDir, ['--state-dir', stateDir, ...shared, ...behind], {}, command);
  cleanups.push(() => host.kill('SIGKILL'));
  await balancer?.add(host.url);
  return host;
}

/** Through each host, everybody sees and changes every session, whoever owns it. */
async function visit(hosts: readonly HostProcess[], { sessions }: TurnLoad): Promise<void> {
  for (const [n, { url, token }] of hosts.entries()) {
    const client = await connect({ url, token });
    for (const { uri, confirmed } of sessions) {
      const session = await client.openSession(uri);
      const title = `visit ${n} of ${uri}`;
      await session.rename(title);
      const { turns, earlierTurns = 0 } = session.confirmed.value;
      const isFurther = (state: typeof session.confirmed.value) =>
        (state.earlierTurns ?? 0) + state.turns.length > earlierTurns + turns.length;
      // What its agent does, wherever that runs, is told here.
      await until(session.confirmed, isFurther, `another turn of ${uri} at host ${n}`, LONG);
      await until(confirmed, ({ summary }) => summary.title === title, `the title of host ${n}`, LONG);
    }
    client.close();
  }
}

async function owners(database: string): Promise<ReadonlySet<string | null>> {
  const sql = 'select h.url from agenthost.session s join agenthost.host h on h.id = s.owner';
  const rows = await postgres.server.query<{ url: string | null }>(database, sql);
  return new Set(rows.map(({ url }) => url));
}

it('the previous build is kept in a small file', () => {
  expect(previousBuild().bytes).toBeLessThan(1_000_000);
});

describe('hosts of the previous and of this build on one database', { timeout: 6 * LONG }, () => {
  const directions: [Build, Build][] = [
    ['previous', 'present'],
    ['present', 'previous'],
  ];
  it.each(directions)(
    'each %s one is replaced by a %s one under load: nothing is lost, doubled or interrupted',
    async (from, to) => {
      const database = await postgres.server.newDatabase();
      const balancer = await startBalancer();
      cleanups.push(() => balancer.close());
      let hosts = [await start(from, database, balancer), await start(from, database, balancer)];
      const token = hosts[0]?.token ?? '';
      const load = await TurnLoad.begin({ url: balancer.url, token, clients: 4, patienceMs: LONG });
      cleanups.push(async () => load.close());
      for (const host of [...hosts]) {
        const next = await start(to, database, balancer);
        hosts = [...hosts, next];
        await load.goesOn();
        await visit(hosts, load);
        expect(await host.kill('SIGTERM')).toEqual({ code: 0, signal: null });
        hosts = hosts.filter((one) => one !== host);
        await load.goesOn();
        // The first that is replaced leaves one of each kind.
        await visit(hosts, load);
      }
      const left = hosts.map(({ url }) => url.href);
      for (const url of await owners(database)) expect(left).toContain(url);
      await load.end();
    },
  );
});

describe('a host of the previous build on a schema that a later one has made', () => {
  const newer = async (minHost: number) => {
    const database = await postgres.server.newDatabase();
    await (await start('present', database)).kill('SIGTERM');
    const sql = `update agenthost.schema_version set version = version + 1, min_host = ${minHost}`;
    await postgres.server.query(database, sql);
    return database;
  };

  it('runs, as long as that schema has all that it needs', async () => {
    const host = await start('previous', await newer(1));
    const client = await connect(host);
    cleanups.push(async () => client.close());
    await (await client.createSession({ provider: 'mock' })).ready();
  });

  it('refuses to start otherwise, and says what to do', async () => {
    const starts = start('previous', await newer(99));
    await expect(starts).rejects.toThrow('The database was upgraded by a newer agenthost');
  });
});
