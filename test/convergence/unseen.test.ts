import { randomInt } from 'node:crypto';
import { afterAll, describe, it } from 'vitest';
import { manyConverge, TIMEOUT_MS, temporaryRoot, UNSEEN_RUNS } from './property.js';

describe('[WA1] [WA2] [WA4] [ONCE1] [ONCE2] [ENV1] [FATE1] several clients and a host agree, every action applied once', () => {
  const root = temporaryRoot();
  afterAll(() => root.dispose());

  it('in new random histories', { timeout: TIMEOUT_MS }, () => {
    // `npm run test:convergence -- --seed N` repeats a run with the seed that it printed.
    const seed = Number(process.env['AGENTHOST_CONVERGENCE_SEED'] ?? randomInt(2 ** 31));
    return manyConverge(root.path, seed, UNSEEN_RUNS);
  });
});
