import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runWork } from '../../packages/host/src/work/workCommands.js';
import { TestRepository } from '../../packages/host/test/work/repository.js';
import { workOf } from '../../packages/host/test/work/workOf.js';
import { amount, LONG_MS } from './support/amount.js';

const KILLS = amount('land', { smoke: 6, full: 100 });
const FILES = Array.from({ length: 10 }, (_, index) => `f${index}.txt`);

let repository: TestRepository;
beforeEach(async () => {
  repository = await TestRepository.make();
  for (const file of FILES) await repository.write(file, 'begin\n');
  await repository.commit();
});
afterEach(() => repository.remove());

/** Commits and merges without end. A git that it runs goes on for a moment when it is killed. */
const PROGRAM = `
  import { writeFile } from 'node:fs/promises';
  import { join } from 'node:path';
  import { runWork, SessionWork, silentLog } from '@agenthost/host/internal';
  const [folder, dir, landDir] = process.argv.slice(1);
  const work = new SessionWork({
    uri: 'mock:/s1', sessionId: 's1', folder, dir, landDir, mode: 'none', log: silentLog,
    isTrusted: () => true, isTurnRunning: () => false, baseBranch: () => 'main',
    turnNumber: () => undefined, tell: () => true, onChanged: () => {},
  });
  for (let round = 0; ; round++) {
    for (let file = 0; file < 10; file++) {
      await writeFile(join(folder, 'f' + file + '.txt'), (process.pid + '-' + round + '\\n').repeat(2000));
    }
    process.stdout.write('round\\n');
    await runWork(work, 'commitChanges', { session: 'mock:/s1', message: 'round ' + round }, { clientId: 'c' });
    await runWork(work, 'mergeChanges', { session: 'mock:/s1' }, { clientId: 'c' });
  }
`;

it('a host that is killed while it commits and merges loses no commit and no file', { timeout: LONG_MS }, async () => {
  const folder = join(repository.root, 'session');
  await repository.git('worktree', 'add', '-q', '-b', 'session', folder);
  const [dir, landDir] = [join(repository.root, 'state/work/s1'), join(repository.root, 'state/landing')];
  for (let kill = 0; kill < KILLS; kill++) {
    const args = ['--input-type=module', '-e', PROGRAM, folder, dir, landDir];
    const child = spawn(process.execPath, args, {
      cwd: import.meta.dirname,
      env: repository.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    await Promise.race([once(child.stdout, 'data'), exit]);
    expect(child.exitCode).toBe(null);
    // At any point of the commit, of the merge, or of the rounds after them.
    await delay(Math.random() * 1_500);
    const before = (await repository.git('rev-parse', 'session', 'main')).trim().split('\n');
    child.kill('SIGKILL');
    await exit;
    const files = await Promise.all(FILES.map((file) => readFile(join(folder, file), 'utf8')));
    // The next host goes on: what was written is committed and merged, and both checkouts are clean.
    const { work } = workOf(repository, { folder, mode: 'none', baseBranch: 'main', landDir });
    const by = { clientId: 'c' };
    const nothing = (error: { data?: { code?: string } }) => {
      if (error.data?.code !== 'nothing') throw error;
    };
    await runWork(work, 'previewMerge', { session: 'mock:/s1' }, by);
    await runWork(work, 'commitChanges', { session: 'mock:/s1', message: 'after a kill' }, by).catch(nothing);
    await runWork(work, 'mergeChanges', { session: 'mock:/s1' }, by).catch(nothing);
    for (const id of before) await repository.git('merge-base', '--is-ancestor', id, 'main');
    for (const [index, file] of FILES.entries()) {
      expect(await readFile(join(folder, file), 'utf8')).toBe(files[index]);
      expect(await readFile(join(repository.folder, file), 'utf8')).toBe(files[index]);
    }
    expect(await repository.git('status', '--porcelain')).toBe('');
    expect(await repository.gitIn(folder, 'status', '--porcelain')).toBe('');
    await work.close();
  }
  expect(await repository.git('fsck', '--no-dangling')).toBe('');
});
