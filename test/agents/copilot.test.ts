import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { AGENTS_FOLDER, installAgent } from './support/installAgents.js';

beforeAll(() => installAgent('copilot'));

it('is installed as a state root would have it', () => {
  expect(existsSync(join(AGENTS_FOLDER, 'copilot/node_modules/@github/copilot-sdk/package.json'))).toBe(true);
});
