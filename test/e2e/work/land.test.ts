import { execFileSync } from 'node:child_process';
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CommandFailedError, conflictRequest, type HostClient, type SessionHandle } from '@agenthost/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { RawClient } from '../../support/rawClient.js';
import { runCli, startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

let host: TestHost;
let client: HostClient;
let root: string;
let repository: string;

function git(folder: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: host.stateDir, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim();
}

beforeEach(async () => {
  host = await startTestHost();
  client = await host.connect({ clientInfo: { name: 'Mira' } });
  await writeFile(join(host.stateDir, '.gitconfig'), '[user]\n\tname = Test\n\temail = t@example.org\n');
  root = await realpath(await temporaryFolder());
  repository = join(root, 'project');
  await mkdir(repository);
  await writeFile(join(repository, 'a.txt'), 'one\n');
  git(repository, 'init', '-q', '-b', 'main');
  git(repository, 'add', '.');
  git(repository, 'commit', '-q', '-m', 'first');
});
afterEach(async () => {
  await host.dispose();
  await rm(root, { recursive: true, force: true });
});

async function isolated(): Promise<SessionHandle> {
  const session = await client.createSession({
    provider: 'mock',
    workingDirectory: pathToFileURL(repository).href,
    config: { isolation: 'worktree' },
  });
  return session.ready().then(() => session);
}
const folderOf = (session: SessionHandle) => fileURLToPath(session.confirmed.value.summary.workingDirectory ?? '');
const refusal = async (work: Promise<unknown>) => {
  const error = await work.catch((reason: unknown) => reason);
  if (!(error instanceof CommandFailedError)) throw new Error(`not refused: ${String(error)}`);
  return error.data;
};

it('[LAND1] [LAND3] two sessions change one file: one lands, the other is told of the conflict before', async () => {
  const [one, two] = [await isolated(), await isolated()];
  for (const session of [one, two]) {
    await writeFile(join(folderOf(session), 'a.txt'), `${session.uri}\n`);
    expect(await client.work.commitChanges(session.uri, { message: 'a change' })).toMatchObject({ count: 1 });
  }
  expect(await readFile(join(repository, 'a.txt'), 'utf8')).toBe('one\n');
  const { commit, into, updated } = await client.work.mergeChanges(one.uri, { squash: true });
  expect([into, updated]).toEqual(['main', repository]);
  expect(await readFile(join(repository, 'a.txt'), 'utf8')).toBe(`${one.uri}\n`);
  expect(git(repository, 'status', '--porcelain')).toBe('');
  const { turns } = await until(one.confirmed, (state) => state.turns.length === 2, 'the notices');
  expect(turns.map(({ responseParts: [part] }) => part)).toMatchObject([
    { kind: 'notice', text: expect.stringMatching(/^Mira committed 1 file as [0-9a-f]{7}\.$/) },
    { kind: 'notice', text: expect.stringContaining(`into main as ${commit.slice(0, 7)}.`) },
  ]);
  const preview = await client.work.previewMerge(two.uri);
  expect(preview).toMatchObject({ ahead: 1, behind: 1, conflicts: { count: 1, paths: ['a.txt'] }, uncommitted: 0 });
  expect(conflictRequest(preview)).toContain('- "a.txt"');
  expect(await refusal(client.work.mergeChanges(two.uri))).toEqual({ code: 'conflict', paths: ['a.txt'] });
  expect(git(repository, 'rev-parse', 'main')).toBe(commit);
});

it('[LAND2] a viewer is refused; two clients commit at once; a bare repository has nothing to commit', async () => {
  const session = await isolated();
  const { uri } = session;
  const devices = new DeviceTokens(host.stateDir);
  const viewer = await RawClient.open({ url: host.url, token: await devices.add('a viewer', 'viewer') });
  await viewer.request('initialize', { protocolVersion: 2, clientId: 'viewer' });
  for (const [method, params] of [
    ['commitChanges', { session: uri, message: 'x' }],
    ['previewMerge', { session: uri }],
    ['mergeChanges', { session: uri }],
    ['pushChanges', { session: uri }],
    ['pullRequest', { session: uri }],
  ] as const) {
    expect((await viewer.refusal(method, params)).data).toEqual({ role: 'viewer', needs: 'driver' });
  }
  await viewer.end();

  const other = await host.connect({ clientInfo: { name: 'Otto' } });
  for (const name of ['x', 'y']) await writeFile(join(folderOf(session), name), name);
  await Promise.all([
    client.work.commitChanges(uri, { message: 'x', paths: ['x'] }),
    other.work.commitChanges(uri, { message: 'y', paths: ['y'] }),
  ]);
  expect(git(folderOf(session), 'rev-list', '--count', 'HEAD')).toBe('3');
  expect(git(folderOf(session), 'status', '--porcelain')).toBe('');

  const bare = join(root, 'bare.git');
  git(root, 'init', '-q', '--bare', bare);
  const inBare = await client.createSession({ provider: 'mock', workingDirectory: pathToFileURL(bare).href });
  await inBare.ready();
  expect(await refusal(client.work.commitChanges(inBare.uri, { message: 'x' }))).toEqual({ code: 'noRepository' });
});

it('agenthost commit, merge and push land the work of a session', async () => {
  const run = (...words: readonly string[]) => runCli(words, { AGENTHOST_HOME: host.stateDir });
  const session = await isolated();
  const remote = join(root, 'remote.git');
  git(root, 'init', '-q', '--bare', remote);
  git(repository, 'remote', 'add', 'origin', remote);
  expect(await run('commit', session.uri)).toMatchObject({ code: 2 });
  expect(await run('commit', session.uri, '-m', 'nothing')).toMatchObject({ code: 6 });
  await writeFile(join(folderOf(session), 'new.txt'), 'new\n');
  const committed = await run('commit', session.uri, '-m', 'new');
  expect(committed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Committed 1 file as .*:\n {2}new\.txt\n$/),
  });
  expect((await run('merge', session.uri, '--check')).stdout).toContain('No conflicts');
  const pushed = JSON.parse((await run('push', session.uri, '--json')).stdout) as object;
  expect(pushed).toMatchObject({ session: session.uri, remote: 'origin' });
  expect(await run('push', session.uri, '--title', 'x')).toMatchObject({ code: 2 });
  await writeFile(join(repository, 'new.txt'), 'other\n');
  git(repository, 'add', '.');
  git(repository, 'commit', '-q', '-m', 'other');
  expect(await run('merge', session.uri, '--check')).toMatchObject({ code: 14 });
  expect(await run('merge', session.uri)).toMatchObject({ code: 14, stderr: expect.stringContaining('new.txt') });
  git(repository, 'reset', '-q', '--hard', 'HEAD~1');
  expect((await run('merge', session.uri)).stdout).toMatch(/^Merged .* into main as/);
  expect(await readFile(join(repository, 'new.txt'), 'utf8')).toBe('new\n');
});
