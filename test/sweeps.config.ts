import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { base, SWEEPS } from '../vitest.config.js';

/** What is too long for `npm test`: it tries everything of a kind, where `npm test` tries one of each. */
export default defineConfig({
  ...base,
  root: join(import.meta.dirname, '..'),
  test: { ...base.test, include: SWEEPS, exclude: configDefaults.exclude },
});
