import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CommandFailedError, type HostClient, type SessionHandle } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { RawClient } from '../../support/rawClient.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const run = promisify(execFile);

describe('the work of a session', () => {
  let stateDir: string;
  let folder: string;
  let host: TestHost;
  let client: HostClient;
  let devices: DeviceTokens;

  const git = async (...args: string[]) => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: stateDir, GIT_CONFIG_NOSYSTEM: '1' };
    const as = ['-c', 'user.name=Test', '-c', 'user.email=t@example.com'];
    return (await run('git', [...as, ...args], { cwd: folder, env })).stdout;
  };
  const start = async () => {
    host = await startTestHost({ stateDir, snapshots: 'all' });
    client = await host.connect({ clientInfo: { name: 'Mira' } });
  };
  beforeEach(async () => {
    stateDir = await temporaryFolder();
    folder = join(stateDir, 'project');
    await mkdir(folder);
    await writeFile(join(folder, 'a.txt'), 'one\n');
    await git('init', '-q', '-b', 'main');
    await git('add', '-A');
    await git('commit', '-q', '-m', 'begin');
    devices = new DeviceTokens(stateDir);
    await start();
  });
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });

  async function shell(at = folder): Promise<SessionHandle> {
    const session = await client.createSession({ provider: 'shell', workingDirectory: pathToFileURL(at).href });
    await session.ready();
    return session;
  }

  async function approve(session: SessionHandle): Promise<void> {
    const [prompt] = await until(session.pendingConfirmations, ({ length }) => length === 1, 'the question');
    await prompt?.approve();
  }

  /** The host says so when the snapshot after a turn that changed something is there. */
  async function turn(session: SessionHandle, text: string): Promise<void> {
    const changed = Promise.withResolvers<void>();
    const following = client.onNotification((event) => {
      if (event.type === 'notify/workChanged' && event.session === session.uri) changed.resolve();
    });
    await session.send(text);
    await approve(session);
    await changed.promise;
    following.dispose();
  }

  const refs = async () =>
    (await git('for-each-ref', '--format=%(refname)', 'refs/agenthost')).split('\n').filter(Boolean);
  const refusal = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof CommandFailedError)) throw new Error(`not refused: ${String(error)}`);
    return error;
  };

  it('[WORK1] [WORK3] is listed, compared, restored with a notice, and gone with the session', async () => {
    const session = await shell();
    await turn(session, 'echo two > a.txt; echo new > new.txt');
    await turn(session, 'echo three > a.txt');
    const last = await client.work.listChanges(session.uri, { since: 'lastTurn' });
    expect(last).toMatchObject({ source: 'git', branch: 'main', total: 1, files: [{ path: 'a.txt', status: 'M' }] });
    const all = await client.work.listChanges(session.uri, { since: 'session' });
    expect(all.files.map(({ status, path }) => `${status} ${path}`)).toEqual(['M a.txt', 'A new.txt']);
    const { hunks } = await client.work.fetchDiff(session.uri, { path: 'a.txt', from: all.from, to: all.to });
    expect(hunks.flatMap(({ lines }) => lines)).toEqual(['-one', '+three']);

    const [, second] = session.confirmed.value.turns;
    const { count, undo } = await client.work.restoreFiles(session.uri, { toTurnId: second?.id ?? '' });
    expect(count).toBe(1);
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('two\n');
    const { turns } = await until(session.confirmed, (state) => state.turns.length === 3, 'the notice');
    expect(turns.at(-1)).toMatchObject({
      origin: 'agent',
      responseParts: [{ kind: 'notice', text: 'Mira restored 1 file to before turn 2.' }],
    });
    await client.work.restoreFiles(session.uri, { undo });
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('three\n');
    // The notice is no turn of the agent: nothing was kept for it.
    await until(session.confirmed, (state) => state.turns.length === 4, 'the second notice');
    expect(await client.work.listChanges(session.uri, { since: 'lastTurn' })).toMatchObject({ total: 1 });

    expect((await refs()).length).toBe(6);
    await client.disposeSession(session.uri);
    expect(await refs()).toEqual([]);
    expect(await readdir(join(stateDir, 'work'))).toEqual([]);
    expect(await git('status', '--porcelain')).toBe(' M a.txt\n?? new.txt\n');
  });

  it('[WORK2] is read by viewers, and restored by drivers, not while a turn runs', async () => {
    const session = await shell();
    await turn(session, 'echo two > a.txt');
    const [first] = session.confirmed.value.turns;
    const params = { session: session.uri, toTurnId: first?.id ?? '' };
    const viewer = await RawClient.open({ url: host.url, token: await devices.add('a viewer', 'viewer') });
    await viewer.request('initialize', { protocolVersion: 2, clientId: 'viewer' });
    expect(await viewer.request('listChanges', { session: session.uri, since: 'base' })).toMatchObject({ total: 1 });
    expect((await viewer.refusal('restoreFiles', params)).data).toEqual({ role: 'viewer', needs: 'driver' });
    await viewer.end();

    await session.send('echo never');
    await until(session.pendingConfirmations, ({ length }) => length === 1, 'the question');
    expect((await refusal(client.work.restoreFiles(session.uri, { toTurnId: first?.id ?? '' }))).code).toBe(-32004);
    await session.cancel();
  });

  it('[WORK4] is there again after a restart of the host, and of a folder without git', async () => {
    const plain = join(stateDir, 'plain');
    await mkdir(plain);
    await writeFile(join(plain, 'a.txt'), 'one\n');
    const { uri } = await (async () => {
      const session = await shell(plain);
      await turn(session, 'echo two > a.txt');
      return session;
    })();
    await host.dispose();
    await start();
    const session = await client.openSession(uri);
    expect(await client.work.listChanges(uri, { since: 'session' })).toMatchObject({ source: 'snapshots', total: 1 });
    await client.work.restoreFiles(uri, { toTurnId: session.confirmed.value.turns[0]?.id ?? '' });
    expect(await readFile(join(plain, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('[WORK5] says why there is nothing to compare', async () => {
    const session = await shell();
    const error = await refusal(client.work.fetchDiff(session.uri, { path: 'a.txt', since: 'base' }));
    expect(error.data).toEqual({ code: 'notFound' });
    await rm(folder, { recursive: true });
    expect((await refusal(client.work.listChanges(session.uri, { since: 'base' }))).data).toEqual({
      code: 'noRepository',
    });
    const both = { path: 'a', since: 'base', from: 'f'.repeat(40), to: 'f'.repeat(40) } as const;
    expect((await refusal(client.work.fetchDiff(session.uri, both))).code).toBe(-32602);
  });

  it('is not told to clients of version 1', async () => {
    const old = await host.raw('old');
    const session = await shell();
    await old.request('subscribe', { resource: session.uri });
    await turn(session, 'echo two > a.txt');
    await old.fence();
    expect(old.notifications.map(({ type }) => type)).not.toContain('notify/workChanged');
  });
});
