import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.js';

export default defineConfig({
  ...base,
  root: join(import.meta.dirname, '../..'),
  test: {
    include: ['test/agents/**/*.test.ts'],
    // Each file starts processes of hundreds of megabytes; most of the time it waits for them.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 900_000,
  },
});
