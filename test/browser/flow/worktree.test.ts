import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expectAccessible } from '../axe.js';
import { composer, eventually, gone, log, PATIENCE, seen, usePages } from '../pageWorld.js';

const pages = usePages();

it('a session is started in a worktree of its own, by keys alone', { timeout: 4 * PATIENCE }, async () => {
  const host = await pages.host();
  const repository = join(host.stateDir, 'work/app');
  await mkdir(repository, { recursive: true });
  await writeFile(join(repository, 'a.txt'), 'one\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=M', '-c', 'user.email=m@example.org', ...args], {
      cwd: repository,
      env: { PATH: process.env['PATH'], HOME: host.stateDir },
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  const page = await pages.visit(host, { hash: 'new' });
  await page.getByRole('radio', { name: /Mock/ }).click();
  const folder = page.getByRole('combobox', { name: 'Folder' });
  await folder.fill(join(host.stateDir, 'work'));
  await folder.press('Enter');
  const choice = page.getByRole('button', { name: 'New worktree' });
  await gone(choice);
  await folder.fill(repository);
  await folder.press('Enter');
  await seen(choice);
  expect(await page.getByRole('textbox', { name: 'Branch' }).count()).toBe(0);
  await choice.press('Enter');
  await composer(page).fill('echo Fix the “rounding” of the cart total, please');
  const branch = page.getByRole('textbox', { name: 'Branch' });
  expect(await branch.inputValue()).toBe('agenthost/echo-fix-the-rounding-of');
  await seen(page.getByText('from main'));
  await writeFile(join(repository, 'a.txt'), 'not committed\n');
  await page.getByRole('checkbox', { name: 'Take uncommitted changes along' }).check();
  await expectAccessible(page);
  await branch.fill('fix/rounding');
  await composer(page).press('Enter');
  await seen(
    log(page)
      .getByText(/You said|Fix the/)
      .first(),
  );
  await seen(page.getByText('fix/rounding').first());
  expect(git('branch', '--format=%(refname:short)').trim().split('\n')).toEqual(['fix/rounding', 'main']);
  const [tree = ''] = /^worktree (.*worktrees.*)$/m.exec(git('worktree', 'list', '--porcelain'))?.slice(1) ?? [];
  expect(await readFile(join(tree, 'a.txt'), 'utf8')).toBe('not committed\n');
  expect(await readFile(join(repository, 'a.txt'), 'utf8')).toBe('not committed\n');
  // The next one in this project begins the same way.
  await page.goto(`${page.url().split('#')[0]}#new`);
  await eventually(() => page.getByRole('button', { name: 'New worktree' }).getAttribute('aria-pressed')).toBe('true');
  expect(await page.getByRole('combobox', { name: 'Folder' }).inputValue()).toContain('work/app');
});
