import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type HostClient, type SessionHandle } from '@agenthost/client';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../support/cleanups.js';
import { postgresOfFile } from '../support/storage/postgresOfFile.js';
import { type HostProcess, runCli, spawnHost } from '../support/testHost.js';
import { until } from '../support/until.js';
import { unpackPreviousBuild } from './previousBuild.js';

const LONG = 120_000;
const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

type Build = 'previous' | 'present';

async function start(build: Build, args: readonly string[], stateDir: string): Promise<HostProcess> {
  const command = build === 'previous' ? { command: await unpackPreviousBuild() } : {};
  const host = await spawnHost(stateDir, ['--state-dir', stateDir, ...args], {}, command);
  cleanups.push(() => host.kill('SIGKILL'));
  return host;
}

async function client(host: HostProcess, token = host.token): Promise<HostClient> {
  const made = await connect({ url: host.url, token });
  cleanups.push(async () => made.close());
  return made;
}

async function addToken(space: string, where: readonly string[]): Promise<string> {
  const added = await runCli([
    'token',
    'add',
    '--name',
    space,
    '--role',
    'owner',
    '--space',
    space,
    '--json',
    ...where,
  ]);
  expect(added.stderr).toBe('');
  return (JSON.parse(added.stdout) as { token: string }).token;
}

/** The turn has ended. */
async function said(session: SessionHandle, text: string): Promise<void> {
  await session.send(text);
  await until(session.confirmed, ({ turns }) => turns.length > 0, text, LONG);
}

/** A session with a turn that nobody outside of its space may see. */
async function secretSession(host: HostProcess, token: string): Promise<string> {
  const session = await (await client(host, token)).createSession({ provider: 'mock' });
  await session.ready();
  await said(session, 'a secret plan');
  return session.uri;
}

it('[SPACE4] the index of the previous build is used as it is: all of it is in default', {
  timeout: LONG,
}, async () => {
  const stateDir = await cleanups.folder();
  const older = await start('previous', [], stateDir);
  const session = await (await client(older)).createSession({ provider: 'mock' });
  await session.ready();
  await said(session, 'an old word');
  expect(await older.kill('SIGTERM')).toMatchObject({ code: 0 });
  const token = await addToken('design', ['--state-dir', stateDir]);
  const newer = await start('present', [], stateDir);
  const viewer = await client(newer);
  for (const params of [
    {},
    { filter: { text: 'old' } },
    { filter: { isArchived: false } },
    { filter: { modifiedSince: 0 } },
  ]) {
    expect(await viewer.listSessions(params)).toMatchObject({ items: [{ resource: session.uri }], total: 1 });
    expect(await (await client(newer, token)).listSessions(params)).toMatchObject({ items: [], total: 0 });
  }
  expect(newer.errors()).not.toContain('rebuilt');
});

describe('a host of the previous build, which knows no spaces', { timeout: LONG }, () => {
  it('[SPACE4] sees nothing of other spaces in a database that it shares, and lets none of their tokens in', async () => {
    const database = await postgres.server.newDatabase();
    const shared = ['--database', database, '--lease', '2'];
    const older = await start('previous', shared, await cleanups.folder());
    const before = await client(older);
    const own = await before.createSession({ provider: 'mock' });
    await own.ready();
    await said(own, 'nothing secret');
    // Commands of this build read what the older one has made, and change nothing.
    for (const args of [['cluster', 'status'], ['doctor']]) {
      expect((await runCli([...args, '--database', database])).stderr).not.toContain('session_all');
    }
    expect(await runCli(['cluster', 'status', '--database', database])).toMatchObject({ code: 0 });
    // The schema changes while the older host runs.
    const newer = await start('present', shared, await cleanups.folder());
    const token = await addToken('design', ['--database', database]);
    const told: string[] = [];
    before.onNotification((event) => {
      told.push(JSON.stringify(event));
    });
    let secret = '';
    await expect
      .poll(async () => (secret = await secretSession(newer, token).catch(() => '')), { timeout: LONG })
      .not.toBe('');
    for (const host of [older, newer]) {
      const viewer = await client(host);
      expect((await viewer.listSessions()).items.map(({ resource }) => resource)).toEqual([own.uri]);
      expect((await viewer.listSessions()).total).toBe(1);
      expect(await viewer.listSessions({ filter: { text: 'secret' } })).toMatchObject({ total: 1 });
      await expect(viewer.openSession(secret)).rejects.toThrow();
    }
    await expect(connect({ url: older.url, token })).rejects.toThrow();
    // Both still see and use what is in `default`.
    const elsewhere = await (await client(newer)).openSession(own.uri);
    await elsewhere.rename('from the newer');
    await expect.poll(() => own.state.value.summary.title).toBe('from the newer');
    expect(told.filter((event) => event.includes(secret))).toEqual([]);
    expect((await (await client(newer, token)).listSessions()).items.map(({ resource }) => resource)).toEqual([secret]);
    // A new one is not made at the older host, which would make it in `default`.
    for (let n = 0; n < 3; n++) await secretSession(newer, token);
    expect((await (await client(older)).listSessions()).total).toBe(1);
  });

  it('[SPACE4] does not list, open or search the sessions of other spaces in a folder', async () => {
    const stateDir = await cleanups.folder();
    const token = await addToken('design', ['--state-dir', stateDir]);
    const newer = await start('present', [], stateDir);
    const secret = await secretSession(newer, token);
    expect(await newer.kill('SIGTERM')).toMatchObject({ code: 0 });
    const log = await readFile(join(stateDir, 'session-state', secret.slice('mock:/'.length), 'events.jsonl'), 'utf8');
    const older = await start('previous', [], stateDir);
    const viewer = await client(older);
    expect(await viewer.listSessions()).toMatchObject({ items: [], total: 0 });
    await expect(viewer.openSession(secret)).rejects.toThrow();
    await expect(connect({ url: older.url, token })).rejects.toThrow();
    expect(await older.kill('SIGTERM')).toMatchObject({ code: 0 });
    // It has changed nothing: the newer one goes on.
    expect(await readFile(join(stateDir, 'session-state', secret.slice('mock:/'.length), 'events.jsonl'), 'utf8')).toBe(
      log,
    );
    const again = await start('present', [], stateDir);
    expect((await (await client(again, token)).listSessions()).items).toMatchObject([{ resource: secret }]);
    expect((await (await client(again)).listSessions()).total).toBe(0);
  });
});
