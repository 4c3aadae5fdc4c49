import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../packages/host/src/hostLog.js';
import { Worktrees } from '../../packages/host/src/work/worktrees/worktrees.js';
import { TestRepository } from '../../packages/host/test/work/repository.js';
import { amount, LONG_MS } from './support/amount.js';

const KILLS = amount('worktrees', { smoke: 5, full: 100 });

let repository: TestRepository;
beforeEach(async () => {
  repository = await TestRepository.make();
  for (let file = 0; file < 50; file++) await repository.write(`f${file}.txt`, 'begin\n');
  await repository.write('.gitignore', '.env\n');
  await repository.write('.env', 'KEY=1');
  await repository.write('.worktreeinclude', '.env\n');
  await repository.commit();
  await repository.write('f0.txt', 'changed\n');
});
afterEach(() => repository.remove());

/** Makes and removes worktrees without end. It says what must stay before it removes anything. */
const PROGRAM = `
  import { execFileSync } from 'node:child_process';
  import { writeFile } from 'node:fs/promises';
  import { join } from 'node:path';
  import { silentLog, Worktrees } from '@agenthost/host/internal';
  const [folder, stateDir] = process.argv.slice(1);
  const worktrees = new Worktrees({ stateDir, env: process.env, log: silentLog });
  const git = (cwd, ...args) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();
  for (let round = Math.floor(Math.random() * 6); ; round++) {
    const id = process.pid + '-' + round;
    console.log('round ' + id);
    const { worktree, cwd } = await worktrees.make(id, folder, { branch: id, takeChanges: round % 2 === 0 });
    if (round % 2 === 0) git(cwd, 'checkout', '-q', '--', 'f0.txt');
    if (round % 3 === 1) {
      await writeFile(join(cwd, 'work.txt'), id);
      console.log('file ' + join(cwd, 'work.txt') + ' ' + id);
    }
    if (round % 3 === 2) {
      await writeFile(join(cwd, 'f1.txt'), id);
      git(cwd, 'commit', '-q', '-a', '-m', id);
      console.log('commit ' + git(cwd, 'rev-parse', 'HEAD') + ' ' + id);
    }
    await worktrees.release(worktree);
  }
`;

it('a host that is killed while it makes and removes worktrees loses no commit and no file', {
  timeout: LONG_MS,
}, async () => {
  const stateDir = join(repository.root, 'state');
  const head = await repository.git('rev-parse', 'HEAD');
  const must: (readonly [kind: string, what: string, id: string])[] = [];
  let rounds = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const args = ['--input-type=module', '-e', PROGRAM, repository.folder, stateDir];
    const child = spawn(process.execPath, args, {
      cwd: import.meta.dirname,
      env: repository.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    const lines = createInterface({ input: child.stdout });
    const began = once(lines, 'line');
    lines.on('line', (line) => {
      const [kind = '', what = '', id = ''] = line.split(' ');
      if (kind === 'round') rounds++;
      else must.push([kind, what, id]);
    });
    await Promise.race([began, exit]);
    expect(child.exitCode).toBe(null);
    // At any point of the making, of the removal, or of the rounds after them.
    await delay(Math.random() * 2_500);
    child.kill('SIGKILL');
    await exit;
    await check(must);
  }
  console.info(`${KILLS} kills, ${rounds} worktrees, ${must.length} of them with work: 0 lost`);
  // What is left goes as far as nothing is lost with it.
  const worktrees = new Worktrees({ stateDir, env: repository.env, log: silentLog });
  const root = join(stateDir, 'worktrees/repo');
  for (const name of await readdir(root).catch(() => [])) {
    const left = name.endsWith('.json') ? await worktrees.find(join(root, name.slice(0, -5))) : undefined;
    if (left) await worktrees.clean(left);
  }
  await check(must);
  expect(await repository.git('rev-parse', 'HEAD')).toBe(head);
  expect(await readFile(join(repository.folder, 'f0.txt'), 'utf8')).toBe('changed\n');
  expect((await repository.git('status', '--porcelain')).trim()).toBe('M f0.txt');
  expect(await repository.git('fsck', '--no-dangling')).toBe('');
  const { worktree } = await worktrees.make('last', repository.folder, {});
  await worktrees.release(worktree);
});

async function check(must: readonly (readonly [kind: string, what: string, id: string])[]): Promise<void> {
  for (const [kind, what, id] of must) {
    if (kind === 'file') expect(await readFile(what, 'utf8')).toBe(id);
    else expect(await repository.git('branch', '--contains', what, '--format=%(refname:short)')).toContain(id);
  }
}
