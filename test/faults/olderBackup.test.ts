import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type HostClient, type SessionHandle } from '@agenthost/client';
import type { ListSessionsResult } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawClient } from '../support/rawClient.js';
import { startTcpProxy, type TcpProxy } from '../support/tcpProxy.js';
import { type HostProcess, spawnHost, temporaryFolder } from '../support/testHost.js';
import { until } from '../support/until.js';
import { LONG_MS, PATIENCE_MS } from './support/amount.js';

/** The state folder is replaced by an older copy of it while clients know of what came later. */
describe('an older backup', { timeout: LONG_MS }, () => {
  let root: string;
  let stateDir: string;
  let backup: string;
  let proxy: TcpProxy;
  let host: HostProcess;
  let client: HostClient;

  const start = async () => {
    host = await spawnHost(stateDir, ['--state-dir', stateDir, '--public-url', proxy.url.href]);
    proxy.forwardTo(host.url);
  };
  const keep = () => cp(stateDir, backup, { recursive: true, preserveTimestamps: true });
  /** As `cp -a` or `tar` do it: the times of the files are those of the backup. */
  const restore = async (name = '') => {
    await rm(join(stateDir, name), { recursive: true, force: true });
    await cp(join(backup, name), join(stateDir, name), { recursive: true, preserveTimestamps: true });
  };
  const say = async (session: SessionHandle, text: string) => {
    const id = await session.send(text);
    await until(
      session.confirmed,
      ({ turns }) => turns.some((turn) => turn.id === id),
      `the turn "${text}"`,
      PATIENCE_MS,
    );
  };
  const said = (session: SessionHandle) => session.confirmed.value.turns.map(({ userMessage }) => userMessage.text);
  const listed = async () => {
    const raw = await RawClient.open(host);
    await raw.request('initialize', { protocolVersion: 2, clientId: crypto.randomUUID() });
    const { items } = await raw.request<ListSessionsResult>('listSessions', { limit: 100 });
    const found = async (text: string) =>
      (await raw.request<ListSessionsResult>('listSessions', { filter: { text } })).items.map((item) => item.title);
    const result = {
      titles: items.map(({ title }) => title).sort(),
      early: await found('early'),
      late: await found('late'),
    };
    await raw.end();
    return result;
  };

  beforeEach(async () => {
    root = await temporaryFolder();
    [stateDir, backup] = [join(root, 'state'), join(root, 'backup')];
    proxy = await startTcpProxy();
    await start();
    client = await connect({ url: proxy.url, token: host.token, random: () => 0.01 });
  });
  afterEach(async () => {
    client.close();
    await host.kill('SIGKILL');
    await proxy.close();
    await rm(root, { recursive: true, force: true });
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'restored after a %s: clients show what the backup has, and continue from there',
    async (signal) => {
      const old = await client.createSession({ provider: 'mock' });
      await old.ready();
      await old.rename('old');
      await say(old, 'early');
      const other = await connect({ url: proxy.url, token: host.token, random: () => 0.01 });
      const seen = await other.openSession(old.uri);
      await host.kill(signal);
      await keep();
      await start();
      for (let n = 0; n < 5; n++) await say(old, `late ${n}`);
      const young = await client.createSession({ provider: 'mock' });
      await young.ready();
      await say(young, 'late as well');
      await until(seen.confirmed, ({ turns }) => turns.length === 6, 'all turns', PATIENCE_MS);
      await host.kill(signal);
      await restore();
      await start();
      await until(old.confirmed, ({ turns }) => turns.length === 1, 'the state of the backup', PATIENCE_MS);
      await until(seen.confirmed, ({ turns }) => turns.length === 1, 'the state of the backup', PATIENCE_MS);
      await say(old, 'afterwards');
      await until(seen.confirmed, ({ turns }) => turns.length === 2, 'what came afterwards', PATIENCE_MS);
      expect([said(old), said(seen)]).toEqual([
        ['early', 'afterwards'],
        ['early', 'afterwards'],
      ]);
      await expect(young.send('still there?')).rejects.toThrow();
      expect(await listed()).toEqual({ titles: ['old'], early: ['old'], late: [] });
      other.close();
    },
  );

  it.each([
    ['sessions older than the index', 'session-state', { titles: ['old'], early: ['old'], late: [] }],
    [
      'an index older than the sessions',
      'index.sqlite',
      { titles: ['new', 'old'], early: ['old'], late: ['new', 'old'] },
    ],
  ])('of a part of the folder, %s: lists and searches follow the sessions', async (_, part, expected) => {
    const old = await client.createSession({ provider: 'mock' });
    await old.ready();
    await old.rename('old');
    await say(old, 'early');
    await host.kill('SIGTERM');
    await keep();
    await start();
    await say(old, 'late');
    const young = await client.createSession({ provider: 'mock' });
    await young.ready();
    await young.rename('new');
    await say(young, 'late as well');
    await host.kill('SIGTERM');
    await restore(part);
    if (part === 'index.sqlite') await restore('index.sqlite-sums');
    await start();
    const result = await listed();
    expect({ ...result, late: result.late.sort() }).toEqual(expected);
    await until(
      old.confirmed,
      ({ turns }) => turns.length === (part === 'session-state' ? 1 : 2),
      'the log',
      PATIENCE_MS,
    );
    await say(old, 'afterwards');
  });
});
