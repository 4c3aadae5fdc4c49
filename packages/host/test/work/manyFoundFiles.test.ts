import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SessionFiles } from '../../src/work/files/sessionFiles.js';
import { longestTick } from './longestTick.js';
import { TestRepository } from './repository.js';

const FILES = 100_000;

let repository: TestRepository;
beforeAll(async () => {
  repository = await TestRepository.make();
  const script = `d=0; while [ $d -lt 100 ]; do mkdir -p src/$d; seq -f "src/$d/%g.txt" 1 ${FILES / 100} | xargs touch; d=$((d+1)); done`;
  execFileSync('sh', ['-c', script], { cwd: repository.folder });
}, 300_000);
afterAll(() => repository.remove(), 300_000);

it.each([
  ['git', true],
  ['folder', false],
] as const)('a hundred thousand files are found by %s and do not block the loop', async (source, isTrusted) => {
  const limits = { maxWalkMs: 60_000 };
  const files = new SessionFiles({
    folder: repository.folder,
    env: repository.env,
    isTrusted: () => isTrusted,
    limits,
  });
  const measured = longestTick();
  const queries = ['', 'txt', '99/7.txt', 's9t', 'none of it', '/'];
  const found = await Promise.all(queries.map((query) => files.findFiles({ query, limit: 50 })));
  const once = await files.findFiles({ query: '99/7.txt', limit: 50 });
  const longest = measured();
  // Letters may be apart: 271 numbers up to 1,000 have a 7.
  expect(found.map(({ total }) => total)).toEqual([FILES + 101, FILES, 271, expect.any(Number), 0, FILES + 101]);
  expect(once.source).toBe(source);
  expect(once.files[0]).toMatchObject({ path: 'src/99/7.txt', type: 'file' });
  expect(longest, `the loop was blocked for ${longest.toFixed(0)} ms`).toBeLessThan(50);
  files.forget();
});

it('a folder of a hundred thousand files is listed in pages and does not block the loop', async () => {
  execFileSync('sh', ['-c', `seq -f "flat/%g" 1 ${FILES} | (mkdir flat; xargs touch)`], { cwd: repository.folder });
  const files = new SessionFiles({ folder: repository.folder, env: repository.env, isTrusted: () => true });
  const measured = longestTick();
  const first = await files.listFolder({ path: 'flat', limit: 500 });
  await files.listFolder({ path: 'flat', limit: 500, cursor: first.nextCursor ?? '' });
  const longest = measured();
  expect(first).toMatchObject({ isCut: true, total: 20_000 });
  expect(longest, `the loop was blocked for ${longest.toFixed(0)} ms`).toBeLessThan(50);
});
