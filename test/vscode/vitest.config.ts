import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { base } from '../../vitest.config.js';

export default defineConfig({
  ...base,
  root: join(import.meta.dirname, '../..'),
  test: {
    include: ['test/vscode/**/*.test.ts'],
    globalSetup: ['test/support/builtCli.ts'],
    // A workbench in a browser, its server and its extension host are a gigabyte; the first file installs them.
    fileParallelism: false,
    // A window that waits for what does not come would hold up all others.
    testTimeout: 180_000,
    hookTimeout: 900_000,
  },
});
