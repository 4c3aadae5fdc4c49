import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { longestTick } from './longestTick.js';
import { TestRepository } from './repository.js';
import { workOf } from './workOf.js';

const FILES = 100_000;

let repository: TestRepository;
beforeEach(async () => {
  repository = await TestRepository.make();
});
afterEach(() => repository.remove());

it('a hundred thousand new files are listed in pages and do not block the loop', async () => {
  const { work } = workOf(repository);
  await work.beforeTurn('t1');
  const script = `d=0; while [ $d -lt 100 ]; do mkdir $d; seq -f "$d/%g.txt" 1 ${FILES / 100} | xargs touch; d=$((d+1)); done`;
  execFileSync('sh', ['-c', script], { cwd: repository.folder });
  const measured = longestTick();
  await work.afterTurn('t1');
  const first = await work.listChanges({ since: 'session', limit: 500 });
  const second = await work.listChanges({ since: 'session', limit: 500, cursor: first.nextCursor ?? '' });
  const longest = measured();
  expect([first.total, first.files.length, second.files.length]).toEqual([FILES, 500, 500]);
  expect(second.files[0]?.path).not.toBe(first.files[0]?.path);
  expect(longest, `the loop was blocked for ${longest.toFixed(0)} ms`).toBeLessThan(50);
});
