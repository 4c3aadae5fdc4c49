import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forgeOf, isLocal, requestPage, webRepository, withoutLogins } from '../../src/work/land/remotes.js';
import { runWork } from '../../src/work/workCommands.js';
import type { TestRepository } from './repository.js';
import { repositoryWithFiles, type WorkOf, workOf } from './workOf.js';

let repository: TestRepository;
let main: WorkOf;
let remote: string;
beforeEach(async () => {
  repository = await repositoryWithFiles();
  remote = join(repository.root, 'remote.git');
  await repository.git('init', '-q', '--bare', remote);
  repository.env['PATH'] = `${join(repository.root, 'bin')}:${repository.env['PATH']}`;
  main = workOf(repository, { mode: 'none', baseBranch: 'trunk' });
});
afterEach(() => repository.remove());

const BY = { clientId: 'c1', name: 'Mira' };
const push = (name?: string) =>
  runWork(main.work, 'pushChanges', { session: 'mock:/s1', ...(name !== undefined && { remote: name }) }, BY);
const request = (params: { title?: string; body?: string } = {}) =>
  runWork(main.work, 'pullRequest', { session: 'mock:/s1', ...params }, BY);

/** A program that stands in for the real one: it writes down what it was given, and answers. */
async function fake(name: 'gh' | 'glab', answer: string): Promise<string> {
  const seen = join(repository.root, `${name}-seen`);
  await mkdir(join(repository.root, 'bin'), { recursive: true });
  const file = join(repository.root, 'bin', name);
  await writeFile(file, `#!/bin/sh\nfor word in "$@"; do echo "<$word>"; done > ${seen}\npwd >> ${seen}\n${answer}\n`);
  await chmod(file, 0o755);
  return seen;
}

describe('a push', () => {
  it('[LAND5] sends the branch, tells it, and never overwrites', async () => {
    await expect(push()).rejects.toMatchObject({ data: { code: 'noRemote' } });
    await repository.git('remote', 'add', 'origin', remote);
    const head = (await repository.git('rev-parse', 'HEAD')).trim();
    expect(await push()).toEqual({ remote: 'origin', branch: 'main', commit: head });
    expect(main.said).toEqual(['Mira pushed main to origin.']);
    expect(await push()).toMatchObject({ isUpToDate: true });
    expect(main.said).toHaveLength(1);
    await repository.git('commit', '-q', '--amend', '-m', 'another');
    await expect(push()).rejects.toMatchObject({ data: { code: 'rejected' } });
    expect((await repository.gitIn(remote, 'rev-parse', 'main')).trim()).toBe(head);
    await expect(push('none')).rejects.toMatchObject({ data: { code: 'noRemote' } });
    await expect(push(remote)).rejects.toMatchObject({ data: { code: 'noRemote' } });
  });

  it('[LAND5] says why it can not, without passwords', async () => {
    await repository.git('remote', 'add', 'away', 'http://me:secret@127.0.0.1:1/a/b.git');
    await repository.git('remote', 'add', 'gone', join(repository.root, 'gone.git'));
    const failed = await push('away').catch((error: Error) => error);
    expect(failed).toMatchObject({ data: { code: 'unreachable' } });
    expect(String(failed)).not.toContain('secret');
    await expect(push('gone')).rejects.toMatchObject({ data: { code: 'unreachable' } });
    await repository.git('checkout', '-q', '--detach');
    await expect(push('gone')).rejects.toMatchObject({ data: { code: 'detached' } });
  });
});

describe('a pull request', () => {
  it('[LAND6] is opened by gh (a fake one), with words and no shell, outside of the repository', async () => {
    await repository.git('remote', 'add', 'origin', 'git@github.com:me/thing.git');
    const seen = await fake('gh', 'echo https://github.com/me/thing/pull/7');
    const title = '--body=$(touch x); `x` "y"';
    expect(await request({ title, body: 'why' })).toEqual({
      url: 'https://github.com/me/thing/pull/7',
      isMade: true,
      by: 'gh',
    });
    const words = (await readFile(seen, 'utf8')).split('\n');
    expect(words.slice(0, 7)).toEqual([
      ...['<pr>', '<create>', '<--repo=github.com/me/thing>', '<--head=main>', '<--base=trunk>'],
      ...[`<--title=${title}>`, '<--body=why>'],
    ]);
    expect(words[7]).not.toContain(repository.folder);
    expect(main.said).toEqual(['Mira opened a pull request: https://github.com/me/thing/pull/7']);
  });

  it('[LAND6] is opened by glab (a fake one); when it fails, there is the page', async () => {
    await repository.git('remote', 'add', 'origin', 'https://me:secret@gitlab.com/group/sub/thing.git');
    await fake('glab', 'echo https://gitlab.com/group/sub/thing/-/merge_requests/3');
    expect(await request()).toMatchObject({ isMade: true, by: 'glab' });
    await fake('glab', 'echo https://evil.example/x; echo https://x:secret@gitlab.com not logged in >&2; exit 1');
    const { url, isMade, reason } = await request();
    expect([isMade, url]).toEqual([false, expect.stringMatching(/^https:\/\/gitlab\.com\/group\/sub\/thing\/-\//)]);
    expect(reason).toContain('not logged in');
    expect(`${url} ${reason}`).not.toContain('secret');
  });

  it('[LAND6] passes a token on to the server that it is for, and to no other that the repository names', async () => {
    Object.assign(repository.env, {
      GH_TOKEN: 't1',
      GH_ENTERPRISE_TOKEN: 't2',
      GITLAB_TOKEN: 't3',
      GH_HOST: 'github.work',
    });
    await repository.git('remote', 'add', 'origin', 'https://github.evil.example/me/thing.git');
    for (const [host, tool, tokens] of [
      ['github.evil.example', 'gh', ''],
      ['github.com', 'gh', 't1'],
      ['github.work', 'gh', 't2'],
      ['gitlab.evil.example', 'glab', ''],
      ['gitlab.com', 'glab', 't3'],
    ] as const) {
      await repository.git('remote', 'set-url', 'origin', `https://${host}/me/thing.git`);
      await fake(tool, 'echo $GH_TOKEN $GH_ENTERPRISE_TOKEN $GITLAB_TOKEN >&2; exit 1');
      const { reason } = await request();
      expect([host, reason]).toEqual([
        host,
        expect.stringMatching(tokens === '' ? /exit code 1$/ : new RegExp(`: ${tokens}$`)),
      ]);
    }
  });

  it('[LAND6] has a page where there is no program, and none for a folder', async () => {
    repository.env['PATH'] = `${join(repository.root, 'bin')}:/usr/bin:/bin`;
    await repository.git('remote', 'add', 'origin', 'ssh://git@bitbucket.org:22/me/thing.git');
    expect(await request()).toMatchObject({
      isMade: false,
      url: 'https://bitbucket.org/me/thing/pull-requests/new?source=main&dest=trunk',
    });
    await repository.git('remote', 'set-url', 'origin', remote);
    await expect(request()).rejects.toMatchObject({ data: { code: 'noRemote' } });
  });
});

it('addresses are read without log-in data, and nothing odd gets into a page', () => {
  for (const address of [
    ...[
      'https://me:secret@github.com/a/b.git',
      'git@github.com:a/b.git',
      'ssh://git@github.com:22/a/b',
      'github.com:a/b/',
    ],
  ]) {
    expect(webRepository(address)).toEqual({ host: 'github.com', path: 'a/b' });
  }
  for (const address of [
    ...['/a/b', './a/b', 'file:///a/b', 'ext::sh -c x', 'javascript://github.com/a/b', 'https://github.com/a'],
    ...[
      'https://github.com/a/../b',
      'https://github.com/a/b?x=<script>',
      'git@github.com:a/b c',
      '',
      'x'.repeat(5_000),
    ],
  ]) {
    const found = webRepository(address);
    expect(found === undefined || found.path === 'a/b').toBe(true);
  }
  expect([isLocal('/a:b'), isLocal('a:b'), isLocal('ext::x'), isLocal('FILE:///a')]).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect(forgeOf({ host: 'notgithub.evil', path: 'a/b' })).toBeUndefined();
  expect(requestPage({ host: 'github.com', path: 'a/b' }, 'x#&y', 'main')).toBe(
    'https://github.com/a/b/compare/main...x%23%26y?expand=1',
  );
  expect(withoutLogins("fatal: 'https://me:secret@x.org/a'")).toBe("fatal: 'https://x.org/a'");
});
