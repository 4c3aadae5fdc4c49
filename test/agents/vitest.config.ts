import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { base } from '../../vitest.config.js';

export default defineConfig({
  ...base,
  root: join(import.meta.dirname, '../..'),
  test: {
    include: ['test/agents/**/*.test.ts'],
    // Each file starts processes of hundreds of megabytes, and may install its agent first. Two at a time fail on a busy machine.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 900_000,
  },
});
