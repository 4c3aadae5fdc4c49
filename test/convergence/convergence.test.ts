import * as fc from 'fast-check';
import { afterAll, describe, it } from 'vitest';
import { converges, temporaryRoot } from './property.js';

const RUNS = Number(process.env['AGENTHOST_CONVERGENCE_RUNS'] ?? 300);
const FIXED_SEED = 20_260_301;

describe('several clients and a host converge, with every action applied exactly once', () => {
  const root = temporaryRoot();
  afterAll(() => root.dispose());

  it('[WA2] [WA4] [ONCE1] [ONCE2] [ENV1] [FATE1] in the histories of a fixed seed', { timeout: 600_000 }, async () => {
    await fc.assert(converges(root.path), { seed: FIXED_SEED, numRuns: RUNS });
  });
});
