import { describe, expect, it } from 'vitest';
import { amount, LONG_MS } from './support/amount.js';
import { runCluster } from './support/cluster/clusterRun.js';
import { MUTANTS, mutated } from './support/cluster/mutants.js';

const FAULTS = amount('cluster', { smoke: 12, full: 200 });
const BROKEN = amount('mutants', { smoke: 1, full: MUTANTS.length });
const SEED = amount('seed', { smoke: 1, full: Date.now() % 1_000_000 });

describe('three hosts on one database', { timeout: LONG_MS }, () => {
  it('[FEN1] [FEN2] [FEN4] [FEN5] lose and double nothing, and all clients see the same, whatever happens to hosts, links and database', async () => {
    const { accepted, refused, unknown, pauses, longest } = await runCluster({ seed: SEED, faults: FAULTS });
    console.info(
      `seed ${SEED}: ${FAULTS} faults, ${accepted} accepted, ${refused} refused, ${unknown} unknown to their sender: 0 lost, 0 doubled, 0 diverged`,
    );
    console.info(`longest pause: ${longest}`);
    for (const [fault, times] of Object.entries(pauses)) {
      const sorted = times.toSorted((a, b) => a - b);
      console.info(
        `${fault}: longest pause of a session p50 ${sorted[sorted.length >> 1]} ms, max ${sorted.at(-1)} ms`,
      );
    }
    expect(accepted).toBeGreaterThan(20 * FAULTS);
  });
});

/** Runs with other seeds until it is found. */
const TRIES = 5;

describe('a cluster in which a host is broken is caught', { timeout: LONG_MS }, () => {
  // Each takes about as long as a run that finds nothing.
  const mutants = MUTANTS.map((mutant) => [mutant.what, mutant] as const);
  it.each(mutants.slice(0, BROKEN))('when it %s', async (_, mutant) => {
    const { shownBy, found } = mutant;
    let error: unknown;
    for (let seed = 1; seed <= TRIES && error === undefined; seed++) {
      const options = { seed, faults: 6, only: shownBy, env: mutated(mutant), patienceMs: 30_000 };
      await runCluster(options).catch((reason: unknown) => {
        error = reason;
      });
    }
    expect(String(error)).toMatch(found);
  });
});
