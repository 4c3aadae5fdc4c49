import { appendFile, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HostClient } from '@agenthost/client';
import { AcpAgents } from '@agenthost/host';
import { ERROR_CODE } from '@agenthost/protocol';
import { expect, it, onTestFinished } from 'vitest';
import { hashOf, RECORDED, recordedHome } from '../../../packages/host/test/agents/native/nativeHome.js';
import { stubEntry, writeAgents } from '../../support/agents/stubAgent.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';

const CLAUDE = `claude/${RECORDED.claude}`;

async function start({ nativeSessions = true, home = '' } = {}) {
  const [stateDir, folder] = [await temporaryFolder(), home || (await recordedHome())];
  // The recorded conversations say where they were.
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: undefined };
  await writeAgents(stateDir, { claude: stubEntry(stateDir) });
  const host = await startTestHost({ stateDir, env, nativeSessions, agentSources: [new AcpAgents()] });
  onTestFinished(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });
  return { host, home: folder, stateDir, client: await host.connect() };
}

/** Waits until the host has noticed the token. */
async function connectWith(host: TestHost, token: string): Promise<HostClient> {
  for (;;) {
    const client = await host.connect({ token }).catch(() => undefined);
    if (client) return client;
  }
}

/** The conversation of Claude Code is in a folder that exists. */
async function movedTo(home: string, folder: string): Promise<string> {
  const path = join(home, '.claude/projects/-work-uploader', `${RECORDED.claude}.jsonl`);
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll('/work/uploader', folder));
  await rested(path);
  return path;
}

async function rested(path: string): Promise<void> {
  const then = Date.now() / 1_000 - 3_600;
  await utimes(path, then, then);
}

it('lists what was begun in terminals, newest first, in pages', async () => {
  const { client } = await start();
  const { items, total, unreadable } = await client.native.list();
  expect(unreadable).toBeUndefined();
  expect(items.map(({ provider }) => provider).sort()).toEqual(Object.keys(RECORDED).sort());
  expect(total).toBe(5);
  const claude = items.find(({ provider }) => provider === 'claude');
  expect(claude).toMatchObject({
    id: CLAUDE,
    agentName: 'Claude Code',
    title: 'say hello',
    workingDirectory: 'file:///work/uploader',
    command: `claude --resume ${RECORDED.claude}`,
  });
  const paged = [];
  let cursor: string | undefined;
  do {
    const page = await client.native.list({ limit: 2, ...(cursor !== undefined && { cursor }) });
    paged.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(paged.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
});

it('shows the turns of each, in pages, and leaves the originals as they were', async () => {
  const { client, home } = await start();
  const before = await hashOf(home);
  for (const { id } of (await client.native.list()).items) {
    const { turns, hasMore } = await client.native.fetchTurns(id, { limit: 4 });
    expect({ count: turns.length, hasMore }).toEqual({ count: 4, hasMore: true });
    const older = await client.native.fetchTurns(id, { limit: 4, before: turns[0]?.id ?? '' });
    expect({ count: older.turns.length, hasMore: older.hasMore }).toEqual({ count: 2, hasMore: false });
    expect(older.turns[0]?.userMessage.text).toBe('say hello');
  }
  await expect(client.native.fetchTurns('claude/../../x', { limit: 4 })).rejects.toMatchObject({
    code: ERROR_CODE.notFound,
  });
  await expect(client.native.fetchTurns('nobody', { limit: 4 })).rejects.toMatchObject({ code: ERROR_CODE.notFound });
  expect(await hashOf(home)).toBe(before);
});

it('follows a conversation that goes on', async () => {
  const { client, home } = await start();
  await client.native.list();
  const path = join(home, '.claude/projects/-work-uploader', `${RECORDED.claude}.jsonl`);
  const message = { role: 'user', content: 'one more' };
  await appendFile(path, `${JSON.stringify({ type: 'user', uuid: 'u-more', message, timestamp: new Date() })}\n`);
  const { turns } = await client.native.fetchTurns(CLAUDE, { limit: 1 });
  expect(turns[0]?.userMessage.text).toBe('one more');
  await expect
    .poll(async () => (await client.native.list()).items[0], { timeout: 30_000 })
    .toMatchObject({ id: CLAUDE, isBusy: true });
});

it('continues one under its id, with all its turns, and lists it with its session', async () => {
  const { client, home, stateDir } = await start();
  await movedTo(home, stateDir);
  const session = `claude:/${crypto.randomUUID()}`;
  await client.native.continue(CLAUDE, session);
  const { items } = await client.listSessions();
  expect(items).toMatchObject([
    { resource: session, title: 'say hello', workingDirectory: pathToFileURL(stateDir).href },
  ]);
  const handle = await client.openSession(session);
  expect(handle.confirmed.value.turns.map(({ userMessage }) => userMessage.text)).toHaveLength(6);
  expect((await client.native.list()).items.find(({ id }) => id === CLAUDE)?.session).toBe(session);
  await expect(client.native.continue(CLAUDE, `claude:/${crypto.randomUUID()}`)).rejects.toMatchObject({
    code: ERROR_CODE.sessionAlreadyExists,
  });
  // Once it is gone here, it can be continued again.
  await client.disposeSession(session);
  expect((await client.native.list()).items.find(({ id }) => id === CLAUDE)?.session).toBeUndefined();
  await client.native.continue(CLAUDE, `claude:/${crypto.randomUUID()}`);
});

it('refuses to continue one that is open in a terminal, but makes a copy', async () => {
  const { client, home, stateDir } = await start();
  const path = await movedTo(home, stateDir);
  await appendFile(path, `${JSON.stringify({ type: 'mode' })}\n`);
  const busy = { data: { code: 'nativeSessionBusy' } };
  await expect(client.native.continue(CLAUDE, `claude:/${crypto.randomUUID()}`)).rejects.toMatchObject(busy);
  // A turn without an end may still run, also when nothing was written for a while.
  const open = { type: 'user', uuid: 'u-open', message: { role: 'user', content: 'a long one' } };
  await appendFile(path, `${JSON.stringify(open)}\n`);
  const minuteAgo = Date.now() / 1_000 - 60;
  await utimes(path, minuteAgo, minuteAgo);
  await expect(client.native.continue(CLAUDE, `claude:/${crypto.randomUUID()}`)).rejects.toMatchObject(busy);
  expect((await client.listSessions()).items).toEqual([]);
  const copy = `claude:/${crypto.randomUUID()}`;
  await client.native.continue(CLAUDE, copy, { asCopy: true });
  expect((await client.openSession(copy)).confirmed.value.turns).toHaveLength(7);
  expect((await client.native.list()).items.find(({ id }) => id === CLAUDE)?.session).toBeUndefined();
});

it('refuses what can not be continued, and leaves nothing behind', async () => {
  const { client, home } = await start();
  await movedTo(home, '/work/missing');
  const other = client.native.continue(CLAUDE, `mock:/${crypto.randomUUID()}`);
  await expect(other).rejects.toMatchObject({ code: ERROR_CODE.invalidParams });
  // Its folder does not exist on this machine.
  await expect(client.native.continue(CLAUDE, `claude:/${crypto.randomUUID()}`)).rejects.toThrow('/work/missing');
  await expect(client.native.continue('codex/x', `codex:/${crypto.randomUUID()}`)).rejects.toMatchObject({
    code: ERROR_CODE.notFound,
  });
  expect((await client.listSessions()).items).toEqual([]);
});

it('is only for owners, only in the default space, and can be turned off', async () => {
  const { host } = await start();
  for (const role of ['viewer', 'approver', 'driver'] as const) {
    const client = await connectWith(host, await host.host.deviceTokens.add(role, role));
    for (const asked of [
      client.native.list(),
      client.native.fetchTurns(CLAUDE, { limit: 1 }),
      client.native.continue(CLAUDE, 'claude:/x'),
    ])
      await expect(asked).rejects.toMatchObject({ code: ERROR_CODE.permissionDenied });
  }
  const elsewhere = await connectWith(host, await host.host.deviceTokens.add('guest', 'owner', 'guests'));
  expect(await elsewhere.native.list()).toEqual({ items: [], total: 0 });
  await expect(elsewhere.native.fetchTurns(CLAUDE, { limit: 1 })).rejects.toMatchObject({
    code: ERROR_CODE.permissionDenied,
  });
  const off = await start({ nativeSessions: false });
  expect(await off.client.native.list()).toEqual({ items: [], total: 0 });
  await expect(off.client.native.fetchTurns(CLAUDE, { limit: 1 })).rejects.toMatchObject({ code: ERROR_CODE.notFound });
});
