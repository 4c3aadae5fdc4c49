import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { base } from '../../vitest.config.js';
import { GATES } from './gates.js';

const ROOT = join(import.meta.dirname, '../..');
const gate = GATES[Number(process.env['AGENTHOST_BROKEN_GATE'])];
if (!gate) throw new Error('AGENTHOST_BROKEN_GATE says which one: its number in gates.ts');
const { module, from, to } = gate;

/** The tests with one check less: the module is altered as it is loaded, no file is touched. */
export default defineConfig({
  ...base,
  root: ROOT,
  plugins: [
    {
      name: 'broken-gate',
      enforce: 'pre',
      transform: (code, id) => (id === join(ROOT, module) ? code.replace(from, () => to) : undefined),
      // All other modules are those of every run. What is kept of the altered one would be taken for the real one.
      configureVitest: ({ defineCacheKeyGenerator }) =>
        defineCacheKeyGenerator(({ id }) => (id === join(ROOT, module) ? false : undefined)),
    },
  ],
  test: {
    ...base.test,
    exclude: configDefaults.exclude,
    globalSetup: [],
    testTimeout: 15_000,
    hookTimeout: 30_000,
    reporters: ['tap-flat'],
  },
});
