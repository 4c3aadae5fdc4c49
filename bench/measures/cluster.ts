// How long an action takes to its log and back with a database: at the host that owns the session and through another one; beside a
// host on a folder that syncs each write to its disk.
import { randomUUID } from 'node:crypto';
import { TestPostgres } from '../../test/support/storage/postgres.ts';
import { BenchProcess } from '../support/benchProcess.ts';
import { atMost, type Figure } from '../support/figure.ts';
import { figureOf } from '../support/figures.ts';
import { measure } from '../support/measure.ts';
import { RequestClient } from '../support/requestClient.ts';
import { type UnderLoad, underLoad } from '../support/underLoad.ts';

await measure(async ({ quick }) => {
  const rounds = quick ? 2 : 7;
  const server = await TestPostgres.start();
  const hosts: BenchProcess[] = [];
  const start = async (...args: string[]) => {
    const host = await BenchProcess.startHost(undefined, args);
    hosts.push(host);
    return host;
  };
  try {
    const database = ['--database', server.urlOf()];
    const [folder, owner, other] = [
      await start('--durability', 'fsync'),
      await start(...database),
      await start(...database),
    ];
    const session = `mock:/${randomUUID()}`;
    const client = await RequestClient.open(owner.address);
    await client.request('createSession', { session });
    const places = { folder, owner, other };
    const measured: Record<keyof typeof places, UnderLoad[]> = { folder: [], owner: [], other: [] };
    const load = { subscribers: 1, envelopes: quick ? 500 : 1_500, inFlight: 1 };
    const once = (host: BenchProcess) => {
      const isFolder = host === folder;
      return underLoad({ host, raw: host }, 'host', { ...load, ...(isFolder ? {} : { session }) });
    };
    for (const host of Object.values(places)) await once(host);
    for (let round = 0; round < rounds; round++) {
      for (const name of Object.keys(places) as (keyof typeof places)[]) measured[name].push(await once(places[name]));
    }
    client.close();
    const figures: Figure[] = [];
    for (const part of ['p50', 'p99'] as const) {
      const about = { measure: 'cluster', unit: 'ms', better: 'lower' } as const;
      const of = (name: keyof typeof places) => measured[name].map((one) => one[part]);
      const limit = part === 'p50' && { limit: atMost(3) };
      figures.push(
        figureOf(
          { ...about, name: `echo ${part} on PostgreSQL`, baseline: 'a folder, fsync', ...limit },
          of('owner'),
          of('folder'),
        ),
        figureOf(
          { ...about, name: `echo ${part} through another host`, baseline: 'at the owner' },
          of('other'),
          of('owner'),
        ),
      );
    }
    return { figures };
  } finally {
    for (const host of hosts) host.kill();
    await server.dispose();
  }
});
