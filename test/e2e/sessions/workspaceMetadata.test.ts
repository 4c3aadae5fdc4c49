import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { workspaceOfMetadata } from '@agenthost/sessions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const run = promisify(execFile);

describe('the workspace metadata of a session', () => {
  let test: TestHost;
  let client: HostClient;
  let folder: string;
  let repository: string;
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: repository,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    });
  const metadataOf = (session: SessionHandle) => session.confirmed.value.summary.metadata;
  const create = (workingDirectory: string, metadata?: Readonly<Record<string, unknown>>) =>
    client.createSession({
      provider: 'mock',
      workingDirectory: pathToFileURL(workingDirectory).href,
      ...(metadata && { metadata }),
    });

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-workspace-')));
    repository = join(folder, 'checkout');
    await mkdir(repository);
    await git('init', '-q', '-b', 'main');
    await git('commit', '-q', '--allow-empty', '-m', 'x');
    await git('remote', 'add', 'origin', 'https://me:secret@github.com/my-org/my-repo.git');
    test = await startTestHost();
    client = await test.connect();
  });
  afterAll(async () => {
    await test.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  const expected = () => ({
    workingDirectoryPath: repository,
    repositoryPath: repository,
    branch: 'main',
    repositoryUrl: 'https://github.com/my-org/my-repo.git',
    owner: 'my-org',
    name: 'my-repo',
  });
  const withBranch = (branch: string) => (state: SessionHandle['state']['value']) =>
    state.summary.metadata?.['branch'] === branch;

  it('is filled in at its creation, also without a repository', async () => {
    const session = await create(repository);
    await until(session.confirmed, withBranch('main'), 'the branch');
    expect(metadataOf(session)).toEqual(expected());
    const outside = await create(folder);
    expect(metadataOf(outside)).toEqual({ workingDirectoryPath: folder });
    const nowhere = await client.createSession({ provider: 'mock' });
    expect(metadataOf(nowhere)).toEqual({ workingDirectoryPath: test.stateDir });
    for (const one of [session, outside, nowhere]) {
      const { metadata, workingDirectory } = one.confirmed.value.summary;
      expect(workspaceOfMetadata({ metadata, workingDirectory })?.label).toBeTruthy();
      one.close();
    }
  });

  it('keeps the values of its creator', async () => {
    const session = await create(repository, { owner: 'them', group: 'g' });
    await until(session.confirmed, withBranch('main'), 'the branch');
    expect(metadataOf(session)).toEqual({ ...expected(), owner: 'them', group: 'g' });
    session.close();
  });

  it('is copied to a fork, without the group', async () => {
    const session = await create(repository, { group: 'g' });
    await session.ready();
    await until(session.confirmed, withBranch('main'), 'the branch');
    const fork = await client.forkSession({ source: session.uri });
    expect(metadataOf(fork)).toEqual({ ...expected(), forkedFrom: session.uri });
    fork.close();
    session.close();
  });

  it('is read again after a turn, and when the session is loaded', async () => {
    const session = await create(repository);
    await session.ready();
    await until(session.confirmed, withBranch('main'), 'the branch');
    await git('checkout', '-q', '-b', 'by-the-agent');
    await session.send('hello');
    await until(session.confirmed, withBranch('by-the-agent'), 'the new branch');
    const { isRead } = session.confirmed.value.summary;
    await test.host.close();
    await git('checkout', '-q', 'main');
    const second = await startTestHost({ stateDir: test.stateDir });
    try {
      const again = await (await second.connect()).openSession(session.uri);
      await until(again.confirmed, withBranch('main'), 'the branch of now');
      expect(again.confirmed.value.summary.isRead).toBe(isRead);
    } finally {
      await second.dispose();
    }
    const id = session.uri.slice('mock:/'.length);
    const [path = ''] = globSync(`**/${id}/workspace.yaml`, { cwd: test.stateDir });
    const file = parse(await readFile(join(test.stateDir, path), 'utf8')) as object;
    expect(file).toMatchObject({
      gitRoot: repository,
      branch: 'main',
      repository: 'https://github.com/my-org/my-repo.git',
    });
  });
});
