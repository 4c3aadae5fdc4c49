import { once } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { makeSession } from '../../../../test/security/spaces/spaceWorlds.js';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { type Frame, FrameSocket } from '../../../../test/support/frameSocket.js';
import { RawClient } from '../../../../test/support/rawClient.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTestHost, type TestHost } from '../../../../test/support/testHost.js';
import { linkProof } from '../../src/cluster/links/linkKeys.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

let database: string;
let host: TestHost;
let theirs: string;
let mine: string;
beforeEach(async () => {
  database = await postgres.server.newDatabase();
  host = await start();
  const design = await host.host.deviceTokens.add('Ben', 'owner', 'design');
  theirs = await makeSession(await open(host, design), 'secret plans');
  mine = await makeSession(await open(host, host.token), 'my own');
});

async function start(): Promise<TestHost> {
  const started = await startTestHost({ database, leaseMs: 20_000 });
  cleanups.push(() => started.dispose());
  return started;
}

/** Waits until the host has noticed the token. */
async function open({ url }: TestHost, token: string): Promise<RawClient> {
  for (;;) {
    const opened = await RawClient.open({ url, token }).catch(() => undefined);
    if (!opened) continue;
    cleanups.push(() => opened.end());
    await opened.request('initialize', { protocolVersion: 2, clientId: crypto.randomUUID() });
    return opened;
  }
}

const query = (sql: string) => postgres.server.query<Record<string, unknown>>(database, sql);

/** A link to the host as another host makes it. */
class RawLink extends FrameSocket<Frame> {
  static async open(maxVersion: number): Promise<RawLink> {
    const [row] = await query(`select link_key from agenthost.host where id = '${host.host.instanceId}'`);
    const authorization = linkProof(String(row?.['link_key']), 'another', host.host.instanceId);
    const url = new URL('/link', host.url).href.replace(/^http/, 'ws');
    const link = new RawLink(new WebSocket(url, { headers: { authorization } }));
    cleanups.push(() => link.end());
    await once(link.socket, 'open');
    await link.request('link.hello', { hostId: 'another', minVersion: 1, maxVersion });
    return link;
  }
}

describe('a host that asks over a link', () => {
  it.each([1, 2])('[SPACE4] in version %d without spaces gets what is in default only', async (version) => {
    const link = await RawLink.open(version);
    expect(await link.refusal('link.follow', { uri: theirs })).toMatchObject({ message: `no session ${theirs}` });
    expect(await link.refusal('link.follow', { uri: 'mock:/none' })).toMatchObject({
      message: 'no session mock:/none',
    });
    await link.request('link.follow', { uri: mine });
    const as = { author: { clientId: 'c' }, protocolVersion: 1, role: 'owner' };
    const command = (method: string, params: object) => link.ask('link.command', { method, params, as });
    for (const [method, params] of [
      ['fetchTurns', { session: theirs, range: { limit: 5 } }],
      ['fetchParts', { session: theirs, turnId: 'first', limit: 5 }],
      ['fetchEvents', { session: theirs, limit: 5 }],
      ['listArtifacts', { session: theirs }],
      ['listChanges', { session: theirs, since: 'base' }],
      ['fetchChanges', { session: theirs }],
      ['readFile', { session: theirs, path: 'package.json' }],
      ['findFiles', { session: theirs, query: '' }],
      ['fetchTestCommand', { session: theirs }],
      ['runTests', { session: theirs, command: 'true' }],
      ['stopTests', { session: theirs }],
      ['revertChanges', { session: theirs, path: 'a', from: '0'.repeat(40), to: '0'.repeat(40) }],
      ['disposeSession', { session: theirs }],
      ['forkSession', { source: theirs, session: 'mock:/fork' }],
    ] as const) {
      expect([method, (await command(method, params)).error?.message]).toEqual([method, `no session ${theirs}`]);
    }
    expect((await command('fetchTurns', { session: mine, range: { limit: 5 } })).error).toBeUndefined();
    // What it makes for its clients is in default.
    expect((await command('createSession', { session: 'mock:/made' })).error).toBeUndefined();
    expect(await query("select space from agenthost.session_all where id = 'made'")).toEqual([{ space: 'default' }]);
  });

  it('[SPACE1] with spaces gets those of the space that it names', async () => {
    const link = await RawLink.open(3);
    expect(await link.refusal('link.follow', { uri: theirs, space: 'sales' })).toMatchObject({
      message: `no session ${theirs}`,
    });
    await link.request('link.follow', { uri: theirs, space: 'design' });
    const as = { author: { clientId: 'c' }, protocolVersion: 1, role: 'owner', space: 'design' };
    await link.request('link.command', { method: 'createSession', params: { session: 'mock:/made' }, as });
    expect(await query("select space from agenthost.session_all where id = 'made'")).toEqual([{ space: 'design' }]);
  });

  it('[SPACE1] a session of another space is not taken, opened or given back by whoever asks for it', async () => {
    await host.dispose();
    cleanups.pop();
    const rowOf = () => query(`select owner, epoch, claim from agenthost.session_all where id = '${theirs.slice(6)}'`);
    host = await start();
    const before = await rowOf();
    expect(before).toMatchObject([{ owner: null }]);
    const client = await open(host, host.token);
    const link = await RawLink.open(2);
    await link.refusal('link.follow', { uri: theirs });
    for (const [method, params] of [
      ['subscribe', { resource: theirs }],
      ['fetchTurns', { session: theirs, range: { limit: 5 } }],
      ['createSession', { session: theirs }],
      ['importSession', { session: theirs, turns: [] }],
      ['forkSession', { source: theirs, session: 'mock:/fork' }],
      ['forkSession', { source: mine, session: theirs }],
      ['disposeSession', { session: theirs }],
    ] as const) {
      await client.refusal(method, params);
    }
    await client.act({ type: 'session/titleChanged', session: theirs, title: 'mine' });
    expect(await rowOf()).toEqual(before);
  });
});

it('[SPACE4] under the old names of the tables there is what is in default, and what is made there is', async () => {
  const names = async (sql: string) => (await query(sql)).map((row) => Object.values(row)[0]);
  await host.dispose();
  cleanups.pop();
  expect(await names('select id from agenthost.session')).toEqual([mine.slice(6)]);
  expect(await names('select resource from agenthost.summary')).toEqual([mine]);
  expect(await names('select sum(n)::int from agenthost.kind_count')).toEqual([1]);
  expect(await names('select name from agenthost.token')).toEqual([]);
  expect((await names('select resource from agenthost.summary_all order by 1')).length).toBe(2);
  // As an older host writes.
  await query("insert into agenthost.session (id, place, owner, claim) values ('old', 'here', 'older', 7)");
  await query(`insert into agenthost.summary as x (session, resource, provider, title, modified_at, status, is_read, is_archived, workspace, summary)
    values ('old', 'mock:/old', 'mock', 'a', 1, 'idle', true, false, '', '{}')
    on conflict (session) do update set title = excluded.title`);
  await query(`insert into agenthost.summary as x (session, resource, provider, title, modified_at, status, is_read, is_archived, workspace, summary)
    values ('old', 'mock:/old', 'mock', 'b', 1, 'error', true, false, '', '{}')
    on conflict (session) do update set title = excluded.title, status = excluded.status`);
  expect(await query("select space, title, status from agenthost.summary_all where session = 'old'")).toEqual([
    { space: 'default', title: 'b', status: 'error' },
  ]);
  expect(await names("select n::int from agenthost.kind_count where status = 'error'")).toEqual([1]);
  await query("update agenthost.session set owner = null where id <> 'old'");
  await query(
    "with s as (select id from agenthost.session where id = 'old' for update) delete from agenthost.session using s where session.id = s.id",
  );
  expect(await names("select id from agenthost.session_all where id = 'old'")).toEqual([]);
  // It can't have a session under an id of another space.
  const taken = query(`insert into agenthost.session (id) values ('${theirs.slice(6)}')`);
  await expect(taken).rejects.toThrow('a session of another space has this id');
  await query("delete from agenthost.token where id <> all(array['x'])");
  expect(await names('select name from agenthost.token_all')).toEqual(['Ben']);
});
