import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { compile } from './compile.js';
import { blocks, pages } from './pages.js';

const docs = pages().filter(({ path }) => /^docs\/[^/]+\.md$/.test(path));
/** Whole programs at their beginning; those of the others are run by tests of their own. */
const READMES = pages().filter(({ path }) => /^packages\/(host|protocol)\/README\.md$/.test(path));

it('programs in docs compile', { timeout: 120_000 }, async () => {
  const programs = new Map<string, string>();
  for (const page of docs) {
    for (const [n, code] of blocks(page, 'ts').entries()) programs.set(`${basename(page.path, '.md')}${n + 1}`, code);
  }
  for (const page of READMES) programs.set(`${page.path.split('/')[1]}Readme`, blocks(page, 'ts')[0] ?? '');
  expect(programs.size).toBeGreaterThanOrEqual(10);
  expect(await compile('docs-programs', programs)).toBe('');
});

it('JSON in docs is JSON, or lines of a settings file', () => {
  const found = docs.flatMap((page) => blocks(page, 'json').map((code) => ({ path: page.path, code })));
  expect(found).not.toEqual([]);
  for (const { path, code } of found) {
    const whole = /^\s*[[{]/.test(code) ? code : `{${code}}`;
    expect(() => JSON.parse(whole), path).not.toThrow();
  }
});
