import { afterAll, beforeAll, describe, it } from 'vitest';
import { FIXED_SEED, Tally, TIMEOUT_MS } from '../property.js';
import { CLUSTER_RUNS, ClusterPlaces, manyClustersConverge } from './clusterProperty.js';

describe('[OWN1] [FEN1] [FEN4] [FEN5] [FOL1] [FOL2] [FOL3] clients of three hosts agree, every action applied once', () => {
  let places: ClusterPlaces | undefined;
  beforeAll(async () => {
    places = await ClusterPlaces.open();
  });
  afterAll(() => places?.dispose());

  it('whatever happens to hosts, links and owners', { timeout: TIMEOUT_MS }, async () => {
    if (!places) throw new Error('it starts before the first test');
    // `npm run test:convergence -- cluster/cluster.test.ts --seed N` repeats a run.
    const seed = Number(process.env['AGENTHOST_CONVERGENCE_SEED'] ?? FIXED_SEED);
    await manyClustersConverge(places, seed, CLUSTER_RUNS, new Tally());
  });
});
