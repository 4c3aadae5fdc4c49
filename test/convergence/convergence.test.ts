import { randomInt } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, describe, it } from 'vitest';
import { converges, temporaryRoot } from './property.js';

/** Of each test. `AGENTHOST_CONVERGENCE_SEED` repeats a run with the seed that it printed. */
const RUNS = Number(process.env['AGENTHOST_CONVERGENCE_RUNS'] ?? 600);
const FIXED_SEED = 20_260_301;
const TIMEOUT_MS = 24 * 60 * 60_000;

describe('[WA1] [WA2] [WA4] [ONCE1] [ONCE2] [ENV1] [FATE1] several clients and a host agree, every action applied once', () => {
  const root = temporaryRoot();
  afterAll(() => root.dispose());

  it('in the same histories each time', { timeout: TIMEOUT_MS }, async () => {
    await fc.assert(converges(root.path), { seed: FIXED_SEED, numRuns: RUNS });
  });

  it('in histories that nobody has seen before', { timeout: TIMEOUT_MS }, async () => {
    const seed = Number(process.env['AGENTHOST_CONVERGENCE_SEED'] ?? randomInt(2 ** 31));
    console.info(`seed ${seed}, ${RUNS} runs`);
    await fc.assert(converges(root.path), { seed, numRuns: RUNS });
  });
});
