import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gitFacts } from '../../src/sessions/gitFacts.js';

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-git-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function checkout(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

it('finds the checkout above a folder, its branch and its origin, without the password in it', async () => {
  const config = [
    ['[core]', '\tbare = false'],
    ['[remote "other"]', '\turl = https://example.com/other.git'],
    [
      '[remote "origin"]',
      '\tfetch = +refs/heads/*:refs/remotes/origin/*',
      '\turl = https://me:s3cret@example.com/a/b.git',
    ],
  ];
  const gitRoot = await checkout(join(root, 'repo'), {
    '.git/HEAD': 'ref: refs/heads/feature/x\n',
    '.git/config': `${config.flat().join('\n')}\n`,
    'deep/er/file': '',
  });
  const facts = { gitRoot, branch: 'feature/x', repository: 'https://example.com/a/b.git' };
  expect(await gitFacts(join(gitRoot, 'deep/er'))).toEqual(facts);
  const worktree = await checkout(join(root, 'tree'), { '.git': `gitdir: ${join(gitRoot, '.git/worktrees/tree')}\n` });
  await checkout(gitRoot, {
    '.git/worktrees/tree/HEAD': 'ref: refs/heads/y\n',
    '.git/worktrees/tree/commondir': '../..\n',
  });
  expect(await gitFacts(worktree)).toEqual({ ...facts, gitRoot: worktree, branch: 'y' });
});

it('has less to say of less', async () => {
  const gitRoot = await checkout(join(root, 'detached'), { '.git/HEAD': '0123456789abcdef\n' });
  expect(await gitFacts(gitRoot)).toEqual({ gitRoot });
  expect(await gitFacts(join(root, 'missing'))).toEqual({});
});
