import { createHash } from 'node:crypto';
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ListSessionsResult } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sealLine } from '../../packages/host/src/storage/log/lineFormat.js';
import { RawClient } from '../support/rawClient.js';
import { type HostProcess, rawSession, runCli, spawnHost, temporaryFolder } from '../support/testHost.js';
import { PATIENCE_MS } from './support/amount.js';

/** A host of this version is started on what a later one has left. */
describe('a downgrade', { timeout: PATIENCE_MS }, () => {
  let stateDir: string;
  let host: HostProcess | undefined;
  let clients: RawClient[];
  let [session, other] = ['', ''];

  const file = (uri: string, name = 'events.jsonl') =>
    join(stateDir, 'session-state', uri.slice('mock:/'.length), name);
  const start = async () => {
    host = await spawnHost(stateDir);
    const client = await RawClient.open(host);
    await client.request('initialize', { protocolVersion: 2, clientId: crypto.randomUUID() });
    clients.push(client);
    return client;
  };
  const stop = async () => {
    for (const client of clients.splice(0)) await client.end();
    await host?.kill('SIGTERM');
    host = undefined;
  };
  const say = async (client: RawClient, uri: string, text: string) => {
    const turnId = crypto.randomUUID();
    client.dispatch({ type: 'session/turnStarted', session: uri, turnId, userMessage: { text } });
    await client.nextAction(uri, 'session/turnComplete', (action) => action.turnId === turnId);
  };
  const said = async (client: RawClient, uri: string) =>
    (await client.stateOf(uri)).turns.map(({ userMessage }) => userMessage.text);
  /** What a later version has written at the end of a log. */
  const addRecord = async (uri: string, record: (n: number) => object) => {
    const lines = (await readFile(file(uri), 'utf8')).trimEnd().split('\n');
    const last = JSON.parse(lines.at(-1) ?? '') as { n: number };
    const line = sealLine(JSON.stringify(record(last.n + 1)).slice(0, -1));
    await appendFile(file(uri), line);
    return line;
  };
  const everything = async () => {
    const hash = createHash('sha256');
    const entries = await readdir(stateDir, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const path of paths.sort()) hash.update(path).update(await readFile(path));
    return hash.digest('hex');
  };

  beforeEach(async () => {
    stateDir = await temporaryFolder();
    clients = [];
    const client = await start();
    session = await rawSession([client]);
    other = await rawSession([client]);
    await say(client, session, 'before');
    await say(client, other, 'elsewhere');
    await stop();
  });
  afterEach(async () => {
    await stop();
    await rm(stateDir, { recursive: true, force: true });
  });

  it('of the state folder is refused with what to do, and changes nothing', async () => {
    const version = await readFile(join(stateDir, 'version'), 'utf8');
    await writeFile(join(stateDir, 'version'), '999\n');
    await rm(join(stateDir, 'host.lock.kernel'), { force: true });
    const before = await everything();
    const { code, stderr } = await runCli(['serve', '--port', '0', '--state-dir', stateDir]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/newer|later/);
    await rm(join(stateDir, 'host.lock.kernel'), { force: true });
    expect(await everything()).toBe(before);
    await writeFile(join(stateDir, 'version'), version);
    expect(await said(await start(), session)).toEqual(['before']);
  });

  it('with records of unknown types skips them, continues behind them, and keeps them unchanged', async () => {
    const base = { v: 1, id: 'later', at: 1 };
    const unknownRecord = await addRecord(session, (n) => ({ ...base, n, type: 'session.fromLater', what: 'ever' }));
    const action = { type: 'session/fromLater', session, at: 1, list: [1, 2] };
    const unknownAction = await addRecord(session, (n) => ({ ...base, n, type: 'action', serverSeq: n, action }));
    const client = await start();
    expect(await said(client, session)).toEqual(['before']);
    await say(client, session, 'after');
    await stop();
    const log = await readFile(file(session), 'utf8');
    expect(log).toContain(unknownRecord);
    expect(log).toContain(unknownAction);
    expect(await said(await start(), session)).toEqual(['before', 'after']);
  });

  it('with a log of a later version refuses that session, says so, and leaves its log unchanged', async () => {
    const before = await readFile(file(session));
    await addRecord(session, (n) => ({ v: 3, n, id: 'later', at: 1, type: 'action' }));
    const written = await readFile(file(session));
    for (const name of ['events.checkpoint.json', 'events.turns.jsonl']) await rm(file(session, name), { force: true });
    const client = await start();
    const { error } = await client.ask('subscribe', { resource: session });
    expect(error?.message).toMatch(/newer agenthost/);
    expect(await said(client, other)).toEqual(['elsewhere']);
    const { items } = await client.request<ListSessionsResult>('listSessions', { limit: 10 });
    expect(items.map(({ resource }) => resource).sort()).toEqual([session, other].sort());
    await stop();
    expect((await readFile(file(session))).equals(written)).toBe(true);
    // The later version is back.
    await writeFile(file(session), before);
    const again = await start();
    expect(await said(again, session)).toEqual(['before']);
    await say(again, session, 'after');
  });

  it('with snapshots and an index of another version rebuilds them', async () => {
    for (const content of ['{"format":999}', sealLine('{"format":999,"state":{}')]) {
      await writeFile(file(session, 'events.checkpoint.json'), content);
      const database = new DatabaseSync(join(stateDir, 'index.sqlite'));
      database.exec('PRAGMA user_version = 999');
      database.close();
      const client = await start();
      expect(await said(client, session)).toEqual(['before']);
      const { total } = await client.request<ListSessionsResult>('listSessions', { filter: { text: 'elsewhere' } });
      expect(total).toBe(1);
      await stop();
    }
  });
});
