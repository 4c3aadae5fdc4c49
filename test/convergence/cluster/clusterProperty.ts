import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { Database } from '../../../packages/host/src/database/database.js';
import { migrate } from '../../../packages/host/src/database/migrate.js';
import { silentLog } from '../../../packages/host/src/hostLog.js';
import { TestPostgres } from '../../support/storage/postgres.js';
import { concludeRun, type RunOptions, type Tally, temporaryRoot } from '../property.js';
import { type ClusterScenario, clusterScenario } from './clusterSteps.js';
import { type ClusterPlace, ClusterWorld } from './clusterWorld.js';
import { playCluster } from './playCluster.js';

/** `npm run test:convergence -- --cluster 10000` sets it. */
export const CLUSTER_RUNS = Number(process.env['AGENTHOST_CONVERGENCE_CLUSTER'] ?? 60);

/** Runs wait for the database, links and timers most of the time: several at once take little longer than one. */
const LANES = 8;
/** Long enough for a machine that does something else: who is not at rest then never will be. */
const HEAL_MS = 300_000;

/** One PostgreSQL, with a database for each of the runs that happen at the same time. */
export class ClusterPlaces {
  readonly all: readonly ClusterPlace[];
  readonly #postgres: TestPostgres;
  readonly #root: { readonly path: string; dispose(): void };

  static async open(count = LANES): Promise<ClusterPlaces> {
    // Nothing here outlives a crash of the database: other suites have those.
    const postgres = await TestPostgres.start({ settings: ['fsync=off', 'max_connections=500'] });
    const root = temporaryRoot();
    const places = Array.from({ length: count }, async () => {
      const url = await postgres.newDatabase();
      const database = await Database.open({ url, log: silentLog });
      await migrate(database);
      return { url, database, root: mkdtempSync(join(root.path, 'place-')) };
    });
    return new ClusterPlaces(postgres, root, await Promise.all(places));
  }

  private constructor(
    postgres: TestPostgres,
    root: { readonly path: string; dispose(): void },
    all: readonly ClusterPlace[],
  ) {
    this.#postgres = postgres;
    this.#root = root;
    this.all = all;
  }

  async dispose(): Promise<void> {
    await Promise.all(this.all.map(({ database }) => database.close()));
    await this.#postgres.dispose();
    this.#root.dispose();
  }
}

/** After any history of clients, hosts and links, all clients agree, and everything that was accepted is there exactly once. */
export async function runCluster(run: ClusterScenario, place: ClusterPlace, options: RunOptions = {}): Promise<void> {
  const world = await ClusterWorld.start(run, place);
  const doSteps = async () => {
    for (const step of run.steps) await playCluster(world, step);
  };
  await concludeRun(world, doSteps, { healMs: HEAL_MS, ...options });
  options.tally?.add(world.journal);
}

/** As many histories, several at a time, each lane with a seed of its own. Fails on the first that diverges. */
export async function manyClustersConverge(
  { all }: ClusterPlaces,
  seed: number,
  runs: number,
  tally: Tally,
): Promise<void> {
  console.info(`seed ${seed}: ${runs} interleavings of a cluster begin`);
  const began = performance.now();
  await Promise.all(
    all.map((place, lane) =>
      fc.assert(
        fc.asyncProperty(clusterScenario, (run) => runCluster(run, place, { tally })),
        {
          seed: seed + lane,
          numRuns: Math.floor((runs + lane) / all.length),
          // Timing decides as well: a smaller history that passes says nothing.
          endOnFailure: true,
        },
      ),
    ),
  );
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.info(
    `seed ${seed}: ${tally.runs} interleavings of a cluster, ${tally.accepted} accepted actions, 0 diverged, ${seconds} s`,
  );
  expect(tally.runs).toBeGreaterThanOrEqual(runs);
}
