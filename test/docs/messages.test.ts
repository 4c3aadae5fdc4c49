import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../architecture/workspace.js';

const SOURCES = ['packages/*/src/**/*.ts', 'apps/*/src/**/*.{ts,tsx}', 'apps/cli/bin/*.cjs', 'scripts/*.mjs'];

it('the programs print the messages that docs/troubleshooting.md quotes', () => {
  const said = globSync(SOURCES, { cwd: ROOT })
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');
  const page = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8');
  // The first cell of each row: what one sees.
  const messages = [...page.matchAll(/^\| `([^`]+)`/gm)].map(([, message = '']) => message);
  expect(messages.length).toBeGreaterThan(8);
  const parts = messages
    .flatMap((message) => message.split('…').map((part) => part.trim()))
    .filter((part) => part !== '');
  expect(parts.filter((part) => !said.includes(part))).toEqual([]);
});
