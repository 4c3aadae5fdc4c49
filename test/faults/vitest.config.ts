import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { base } from '../../vitest.config.js';

/** The long runs; each has a command of its own, which names its folder. */
export default defineConfig({
  ...base,
  root: join(import.meta.dirname, '../..'),
  test: {
    globalSetup: ['test/support/builtCli.ts'],
    include: ['faults', 'convergence', 'soak', 'security'].map((folder) => `test/${folder}/**/*.test.ts`),
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    maxConcurrency: 3,
  },
});
