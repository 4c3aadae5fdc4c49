import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (name: string) => fileURLToPath(new URL(`packages/${name}/src/index.ts`, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests of one package see the sources of the others, so that a failure points at a line that somebody wrote.
    alias: Object.fromEntries(['protocol', 'rpc'].map((name) => [`@agenthost/${name}`, source(name)])),
  },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
