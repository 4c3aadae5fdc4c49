import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ListSessionsResult } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { moveState } from '../../../packages/host/src/move/moveState.js';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { makeSession } from '../../security/spaces/spaceWorlds.js';
import { cleanupsOfTests } from '../../support/cleanups.js';
import { RawClient } from '../../support/rawClient.js';
import { postgresOfFile } from '../../support/storage/postgresOfFile.js';
import { SEED_CONFIG, SeedProvider } from '../../support/storage/seedProvider.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

async function open(host: TestHost, token: string): Promise<RawClient> {
  const client = await RawClient.open({ url: host.url, token });
  cleanups.push(() => client.end());
  await client.request('initialize', { protocolVersion: 2, clientId: crypto.randomUUID() });
  return client;
}

async function listed(host: TestHost, token: string): Promise<string[]> {
  const { items } = await (await open(host, token)).request<ListSessionsResult>('listSessions', {});
  return items.map(({ resource }) => resource);
}

/** A folder with a session of `design` and one of `default`, and the token of `design`. */
async function folderWithBoth() {
  const stateDir = await cleanups.folder();
  const design = await new DeviceTokens(stateDir).add('Ben', 'driver', 'design');
  const host = await startTestHost({ stateDir });
  const theirs = await makeSession(await open(host, design), 'secret plans');
  const mine = await makeSession(await open(host, host.token), 'my own');
  await host.dispose();
  return { stateDir, design, theirs, mine };
}

describe('the space of a session in a folder', () => {
  it('[SPACE2] is in the first record of its log, which hosts without spaces refuse', async () => {
    const { stateDir, theirs, mine } = await folderWithBoth();
    const firstLine = async (uri: string) => {
      const path = join(stateDir, 'session-state', uri.slice('mock:/'.length), 'events.jsonl');
      return JSON.parse((await readFile(path, 'utf8')).split('\n')[0] ?? '') as object;
    };
    expect(await firstLine(theirs)).toMatchObject({ v: 2, n: 1, type: 'session.start', space: 'design' });
    expect(await firstLine(mine)).toMatchObject({ v: 1 });
    expect(await firstLine(mine)).not.toHaveProperty('space');
  });

  it('[SPACE2] is known again when the index is lost', async () => {
    const { stateDir, design, theirs, mine } = await folderWithBoth();
    for (const file of await readdir(stateDir)) if (file.startsWith('index.sqlite')) await rm(join(stateDir, file));
    const host = await startTestHost({ stateDir });
    cleanups.push(() => host.dispose());
    expect(await listed(host, design)).toEqual([theirs]);
    expect(await listed(host, host.token)).toEqual([mine]);
  });

  it('[SPACE2] is known when the first line of its log is damaged', async () => {
    const { stateDir, design, theirs } = await folderWithBoth();
    const path = join(stateDir, 'session-state', theirs.slice('mock:/'.length), 'events.jsonl');
    const [, ...lines] = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, ['{"v":2,"n":1,"damaged', ...lines].join('\n'));
    const host = await startTestHost({ stateDir });
    cleanups.push(() => host.dispose());
    const stranger = await open(host, host.token);
    expect(await stranger.refusal('subscribe', { resource: theirs })).toMatchObject({
      message: `no session ${theirs}`,
    });
    expect((await (await open(host, design)).stateOf(theirs)).summary.title).toBe('secret plans');
  });

  it('is a column of the index, and of its counts', async () => {
    const { stateDir, mine, theirs } = await folderWithBoth();
    const count = (sql: string) => {
      const index = new DatabaseSync(join(stateDir, 'index.sqlite'), { readOnly: true });
      try {
        return index.prepare(sql).all();
      } finally {
        index.close();
      }
    };
    expect(count('SELECT resource, space FROM sessions ORDER BY space')).toEqual([
      { resource: mine, space: 'default' },
      { resource: theirs, space: 'design' },
    ]);
    expect(count('SELECT space, n FROM kinds ORDER BY space')).toEqual([
      { space: 'default', n: 1 },
      { space: 'design', n: 1 },
    ]);
  });
});

it('[SPACE2] sessions and tokens keep their spaces when they move to a database and back', async () => {
  const { stateDir, design, theirs, mine } = await folderWithBoth();
  const [database, back] = [await postgres.server.newDatabase(), await cleanups.folder()];
  expect(await moveState({ from: stateDir, to: database, env: {} })).toMatchObject({ copied: 2, failed: [] });
  expect(await moveState({ from: database, to: back, env: {} })).toMatchObject({ copied: 2, failed: [] });
  for (const options of [{ database }, { stateDir: back }]) {
    const host = await startTestHost(options);
    expect([await listed(host, design), await listed(host, host.token)]).toEqual([[theirs], [mine]]);
    expect((await (await open(host, design)).stateOf(theirs)).summary.title).toBe('secret plans');
    await host.dispose();
  }
});

it('sessions that a client keeps are in default: no other space keeps or makes some', async () => {
  const stateDir = await cleanups.folder();
  const design = await new DeviceTokens(stateDir).add('Ben', 'owner', 'design');
  const host = await startTestHost({ stateDir });
  cleanups.push(() => host.dispose());
  const ben = await open(host, design);
  expect(await ben.refusal('sessionFs.setProvider', SEED_CONFIG)).toMatchObject({
    message: 'a client keeps the sessions of the space default only: use a token of that space',
  });
  const provider = new SeedProvider();
  const keeper = await provider.connect(host);
  cleanups.push(() => keeper.end());
  await keeper.request('sessionFs.setProvider', SEED_CONFIG);
  provider.add('kept');
  await keeper.request('createSession', { session: 'mock:/kept' });
  expect(await ben.refusal('subscribe', { resource: 'mock:/kept' })).toMatchObject({
    message: 'no session mock:/kept',
  });
  for (const [method, params] of [
    ['createSession', { session: 'mock:/mine' }],
    ['importSession', { session: 'mock:/mine', turns: [] }],
  ] as const) {
    expect((await ben.refusal(method, params)).message).toContain('there is only the space default');
  }
  expect(await listed(host, host.token)).toEqual(['mock:/kept']);
  expect(await listed(host, design)).toEqual([]);
});
