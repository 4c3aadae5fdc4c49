import { expect, it } from 'vitest';
import { type Balancer, startBalancer } from '../../../scripts/balancer.js';
import { cleanupsOfTests } from '../../support/cleanups.js';
import { postgresOfFile } from '../../support/storage/postgresOfFile.js';
import { type HostProcess, spawnHost } from '../../support/testHost.js';
import { TurnLoad } from '../../support/turnLoad.js';

const LONG = 60_000;

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

async function start(database: string, balancer: Balancer): Promise<HostProcess> {
  const stateDir = await cleanups.folder();
  const shared = ['--database', database, '--lease', '2', '--public-url', balancer.url.origin];
  const host = await spawnHost(stateDir, ['--state-dir', stateDir, ...shared]);
  cleanups.push(() => host.kill('SIGKILL'));
  await balancer.add(host.url);
  return host;
}

it('every host is replaced under load: no message is lost or doubled, no turn interrupted', {
  timeout: 4 * LONG,
}, async () => {
  const database = await postgres.server.newDatabase();
  const balancer = await startBalancer();
  cleanups.push(() => balancer.close());
  const hosts = [await start(database, balancer), await start(database, balancer)];
  const token = hosts[0]?.token ?? '';
  const load = await TurnLoad.begin({ url: balancer.url, token, clients: 4, patienceMs: LONG });
  cleanups.push(async () => load.close());
  for (const host of hosts) {
    await start(database, balancer);
    expect(await host.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    await load.goesOn();
  }
  await load.end();
});
