import { execFileSync } from 'node:child_process';
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CommandFailedError, type HostClient, type SessionHandle, SeveralSessions } from '@agenthost/client';
import { severalOf, type TestRun, type URI } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRunning } from '../../../packages/host/src/processes/processStat.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

let host: TestHost;
let client: HostClient;
let root: string;
let stateDir: string;
let repository: string;

function git(folder: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: stateDir, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim();
}

beforeEach(async () => {
  root = await realpath(await temporaryFolder());
  stateDir = join(root, 'state');
  await mkdir(stateDir);
  host = await startTestHost({ stateDir });
  client = await host.connect({ clientInfo: { name: 'Mira' } });
  await writeFile(join(stateDir, '.gitconfig'), '[user]\n\tname = Test\n\temail = t@example.org\n');
  repository = join(root, 'shop');
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

const SHELLS = [{ provider: 'shell' }, { provider: 'shell' }];

async function begun(text: string, agents: readonly { provider: string; model?: string }[] = SHELLS) {
  const several = new SeveralSessions(client);
  const { group, members } = several.start(agents, {
    message: { text },
    workingDirectory: pathToFileURL(repository).href,
    worktree: { branch: 'try' },
  });
  const outcomes = await Promise.allSettled(members.map(({ started }) => started));
  return { several, group, outcomes, uris: members.map(({ session }) => session) };
}
async function ended(uri: URI, by = client): Promise<SessionHandle> {
  const session = await by.openSession(uri);
  await until(session.pendingConfirmations, ([call]) => call !== undefined);
  await session.pendingConfirmations.value[0]?.approve();
  await until(session.state, ({ turns, activeTurn }) => turns.length > 0 && !activeTurn);
  return session;
}
const folderOf = (session: SessionHandle) => fileURLToPath(session.confirmed.value.summary.workingDirectory ?? '');
async function tested(session: SessionHandle, command?: string): Promise<TestRun> {
  const { id } = await client.work.runTests(session.uri, command);
  const state = await until(session.confirmed, ({ tests }) => tests?.id === id && tests.endedAt !== undefined);
  return state.tests as TestRun;
}
async function pidIn(path: string): Promise<number> {
  const text = () => readFile(path, 'utf8').catch(() => '');
  await expect.poll(text, { timeout: 10_000 }).toMatch(/^\d+\n$/);
  return Number(await text());
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof CommandFailedError ? (error.data as { code?: string }).code : String(error)),
  );

describe('one prompt to several agents', () => {
  it('[SEVERAL1] [TESTS1] [TESTS2] works in worktrees of their own, is tested, and one is landed', async () => {
    const { several, group, uris } = await begun('echo "$$" > a.txt');
    const [one, two] = (await Promise.all(uris.map((uri) => ended(uri)))) as [SessionHandle, SessionHandle];
    expect(severalOf(two.confirmed.value.summary)).toEqual(group);
    expect(folderOf(one)).not.toBe(folderOf(two));
    expect(await tested(one, 'cat a.txt; pwd; exit 3')).toMatchObject({
      status: 'failed',
      exitCode: 3,
      by: { name: 'Mira' },
      output: `${(await readFile(join(folderOf(one), 'a.txt'), 'utf8')).trim()}\n${folderOf(one)}`,
    });
    // Given once, for all worktrees of the project.
    expect(await client.work.fetchTestCommand(two.uri)).toBe('cat a.txt; pwd; exit 3');
    expect((await tested(two)).exitCode).toBe(3);
    const wanted = await readFile(join(folderOf(two), 'a.txt'), 'utf8');
    expect(await several.land(group, two.uri, { commit: 'The second one' })).toMatchObject({ into: 'main' });
    expect(await readFile(join(repository, 'a.txt'), 'utf8')).toBe(wanted);
    await until(one.confirmed, ({ summary }) => summary.isArchived);
    expect(two.confirmed.value.summary.isArchived).toBe(false);
    expect(await readFile(join(folderOf(one), 'a.txt'), 'utf8')).not.toBe(wanted);
    await expect(several.land(group, one.uri)).rejects.toThrow(
      'another one of these sessions was picked already: Mira',
    );
  });

  it('[SEVERAL1] goes on when one of them can not be created, which can be tried again', async () => {
    const { several, group, outcomes, uris } = await begun('true', [{ provider: 'shell' }, { provider: 'nobody' }]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((outcomes[1] as PromiseRejectedResult).reason.message).toContain('no agent for provider nobody');
    await ended(uris[0] as URI);
    git(repository, 'branch', 'gone');
    await writeFile(join(repository, '.git/HEAD'), 'ref: refs/heads/none\n');
    const third = { session: uris[0] as URI };
    const options = { message: { text: 'true' }, workingDirectory: pathToFileURL(repository).href };
    await expect(several.startMember(group, third, options)).rejects.toThrow('already exists');
    await expect(several.startAgain(group, group.members[1] as { session: URI })).rejects.toThrow(
      'no agent for provider',
    );
    // The one that was there is not removed by a second try.
    expect((await client.listSessions()).items).toHaveLength(1);
    await expect(
      client.createSession({ provider: 'shell', metadata: { several: { title: 'x', members: [] } } }),
    ).rejects.toThrow('params.metadata.several');
  });

  it('[SEVERAL2] is decided by the first of two who pick at the same time; a merge that fails takes the pick back', async () => {
    const { several, group, uris } = await begun('echo "$$" > a.txt');
    const [one, two] = (await Promise.all(uris.map((uri) => ended(uri)))) as [SessionHandle, SessionHandle];
    const other = new SeveralSessions(await host.connect({ clientInfo: { name: 'Bob' } }));
    const picks = await Promise.allSettled([several.pick(group, one.uri), other.pick(group, two.uri)]);
    expect(picks.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const lost = picks.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    const { picked } = one.confirmed.value;
    expect(lost.reason.message).toContain(`picked already: ${picked?.by?.name}`);
    await until(two.confirmed, (state) => state.picked?.session === picked?.session);
    await several.takeBack(group);
    await expect(one.dispatch({ type: 'session/pickChanged', picked: 'shell:/other' })).rejects.toThrow(
      'none of those',
    );
    // The first one's session is deleted: the others decide.
    await client.disposeSession(one.uri);
    await writeFile(join(repository, 'a.txt'), 'not committed\n');
    await expect(several.land(group, two.uri, { commit: 'two' })).rejects.toThrow();
    await until(two.confirmed, (state) => state.picked === undefined);
    git(repository, 'checkout', '-q', '.');
    await several.land(group, two.uri);
    expect(two.confirmed.value.picked?.session).toBe(two.uri);
  });
});

describe('the tests of a project', () => {
  const session = async (folder = repository) => {
    const made = await client.createSession({ provider: 'mock', workingDirectory: pathToFileURL(folder).href });
    await made.ready();
    return made;
  };

  it('[TESTS1] [TESTS3] run one at a time, are stopped with all that they started, and keep the end of their output', async () => {
    const made = await session();
    expect(await codeOf(client.work.runTests(made.uri))).toBe('noCommand');
    await client.work.runTests(made.uri, 'yes 🎉 | head -c 300000; sleep 600 & echo $! > pid; wait');
    await until(made.confirmed, ({ tests }) => tests?.status === 'running');
    expect(await codeOf(client.work.runTests(made.uri, 'true'))).toBe('running');
    const pid = await pidIn(join(repository, 'pid'));
    await client.work.stopTests(made.uri);
    const { tests } = await until(made.confirmed, (state) => state.tests?.status === 'stopped');
    expect(isRunning(pid)).toBe(false);
    expect(tests?.isCut).toBe(true);
    expect([...new Set(tests?.output?.split('\n'))]).toEqual(['🎉']);
    expect(await client.work.fetchTestCommand(made.uri)).toContain('yes');
    await client.work.stopTests(made.uri);
  });

  it('[TESTS3] say after a restart of the host that they were lost, and nothing of them is left', async () => {
    const made = await session();
    await client.work.runTests(made.uri, 'echo $$ > pid; sleep 600');
    const pid = await pidIn(join(repository, 'pid'));
    await host.dispose();
    expect(isRunning(pid)).toBe(false);
    host = await startTestHost({ stateDir });
    client = await host.connect();
    const again = await client.openSession(made.uri);
    expect(again.confirmed.value.tests).toMatchObject({ status: 'lost', command: 'echo $$ > pid; sleep 600' });
    expect(await client.work.fetchTestCommand(made.uri)).toBe('echo $$ > pid; sleep 600');
  });
});
