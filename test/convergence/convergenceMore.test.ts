import { afterAll, describe, it } from 'vitest';
// A file of its own: files run side by side.
import { FIXED_SEED, manyConverge, RUNS, TIMEOUT_MS, temporaryRoot } from './property.js';

describe('[WA1] [WA2] [WA4] [ONCE1] [ONCE2] [ENV1] [FATE1] several clients and a host agree, every action applied once', () => {
  const root = temporaryRoot();
  afterAll(() => root.dispose());

  it('in fixed histories, the second half', { timeout: TIMEOUT_MS }, () =>
    manyConverge(root.path, FIXED_SEED + 1_000, Math.floor(RUNS / 2)),
  );
});
