import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../architecture/workspace.js';
import { blocks, pages } from './pages.js';

const run = promisify(execFile);
/** In the repository, so that the packages are found from there. */
const FOLDER = join(ROOT, '.cache/docs-programs');
const docs = pages().filter(({ path }) => /^docs\/[^/]+\.md$/.test(path));
/** Whole programs at their beginning; those of the others are run by tests of their own. */
const READMES = pages().filter(({ path }) => /^packages\/(host|protocol)\/README\.md$/.test(path));

it('programs in docs compile', { timeout: 120_000 }, async () => {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const names: string[] = [];
  for (const page of docs) {
    for (const [n, code] of blocks(page, 'ts').entries()) {
      const name = `${basename(page.path, '.md')}${n + 1}.ts`;
      await writeFile(join(FOLDER, name), `${code}\nexport {};\n`);
      names.push(name);
    }
  }
  for (const page of READMES) {
    const name = `${page.path.split('/')[1]}Readme.ts`;
    await writeFile(join(FOLDER, name), `${blocks(page, 'ts')[0]}\nexport {};\n`);
    names.push(name);
  }
  expect(names.length).toBeGreaterThanOrEqual(10);
  const compilerOptions = {
    composite: false,
    noEmit: true,
    noUnusedLocals: false,
    types: ['node'],
    lib: ['ES2024', 'DOM'],
  };
  const config = { extends: '../../tsconfig.base.json', compilerOptions, include: ['*.ts'] };
  await writeFile(join(FOLDER, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const failed = await run(process.execPath, [tsc, '-p', FOLDER]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  expect(failed).toBe('');
});

it('JSON in docs is JSON, or lines of a settings file', () => {
  const found = docs.flatMap((page) => blocks(page, 'json').map((code) => ({ path: page.path, code })));
  expect(found).not.toEqual([]);
  for (const { path, code } of found) {
    const whole = /^\s*[[{]/.test(code) ? code : `{${code}}`;
    expect(() => JSON.parse(whole), path).not.toThrow();
  }
});
