import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type HostClient, SessionGoneError } from '@agenthost/client';
import type { Notification } from '@agenthost/protocol';
import { afterEach, expect, it } from 'vitest';
import { startRestartableHost } from '../../support/restartableHost.js';
import { startTestHost, temporaryFolder } from '../../support/testHost.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function start(options: Parameters<typeof startTestHost>[0] = {}) {
  const host = await startTestHost(options);
  ends.push(() => host.dispose());
  return host;
}

function heardBy(client: HostClient): Notification[] {
  const heard: Notification[] = [];
  client.onNotification((event) => {
    if (event.type !== 'client/listsStale') heard.push(event);
  });
  return heard;
}

async function listed(client: HostClient): Promise<string[]> {
  return (await client.listSessions({ limit: 500 })).items.map(({ resource }) => resource);
}

it('[PROV1] a provisional session is in no list and no notification before its first message', async () => {
  const host = await start();
  const [maker, other] = [await host.connect(), await host.connect()];
  const [made, heard] = [heardBy(maker), heardBy(other)];
  const session = await maker.createSession({ provider: 'mock', provisional: true });
  await session.ready();
  await session.rename('Renamed');
  expect(await listed(maker)).toEqual([]);
  expect((await other.listSessions({ filter: { text: 'Renamed' } })).total).toBe(0);
  expect([...made, ...heard]).toEqual([]);
  await session.send('hello');
  expect(await listed(other)).toEqual([session.uri]);
  await expect.poll(() => heard[0]).toMatchObject({ type: 'notify/sessionAdded', summary: { resource: session.uri } });
  await expect.poll(() => session.confirmed.value.turns.length).toBe(1);
  expect((await other.listSessions({ filter: { text: 'hello' } })).total).toBe(1);
  expect(heard.filter(({ type }) => type === 'notify/sessionAdded')).toHaveLength(1);
});

it('[PROV1] a queued message counts as a message', async () => {
  const host = await start();
  const client = await host.connect();
  const session = await client.createSession({ provider: 'mock', provisional: true });
  await session.queue('hello');
  expect(await listed(client)).toEqual([session.uri]);
});

it('[PROV1] its removal is sent only to its subscribers', async () => {
  const host = await start();
  const [maker, subscriber, other] = [await host.connect(), await host.connect(), await host.connect()];
  const session = await maker.createSession({ provider: 'mock', provisional: true });
  const seen = await subscriber.openSession(session.uri);
  const heard = heardBy(other);
  const told = heardBy(subscriber);
  await maker.disposeSession(session.uri);
  await expect.poll(() => told).toEqual([{ type: 'notify/sessionRemoved', session: session.uri }]);
  await expect(seen.rename('too late')).rejects.toThrow();
  await other.ping();
  expect(heard).toEqual([]);
  await expect(other.openSession(session.uri)).rejects.toBeInstanceOf(SessionGoneError);
});

it('[PROV1] a fork of it is an ordinary session', async () => {
  const host = await start();
  const client = await host.connect();
  const source = await client.createSession({ provider: 'mock', provisional: true });
  await source.ready();
  const fork = await client.forkSession({ source: source.uri });
  expect(await listed(client)).toEqual([fork.uri]);
});

it('[PROV2] it is removed with its folder when the host stops', async () => {
  const stateDir = await temporaryFolder();
  ends.push(() => rm(stateDir, { recursive: true, force: true }));
  const host = await startTestHost({ stateDir });
  const client = await host.connect();
  const kept = await client.createSession({ provider: 'mock', provisional: true });
  await kept.ready();
  await kept.send('hello');
  await expect.poll(() => kept.confirmed.value.turns.length).toBe(1);
  const dropped = await client.createSession({ provider: 'mock', provisional: true });
  await host.dispose();
  expect(await readdir(join(stateDir, 'session-state'))).toEqual([kept.uri.slice('mock:/'.length)]);
  const again = await start({ stateDir });
  const later = await again.connect();
  expect(await listed(later)).toEqual([kept.uri]);
  await expect(later.openSession(dropped.uri)).rejects.toBeInstanceOf(SessionGoneError);
});

it.each(['with', 'without'])('[PROV2] it is removed at the start after a kill, %s its index', async (how) => {
  const host = await startRestartableHost(['--agents', 'mock']);
  ends.push(() => host.dispose());
  const client = await host.connect();
  const kept = await client.createSession({ provider: 'mock', provisional: true });
  await kept.ready();
  await kept.send('hello');
  await expect.poll(() => kept.confirmed.value.turns.length).toBe(1);
  const dropped = await client.createSession({ provider: 'mock', provisional: true });
  await dropped.ready();
  client.close();
  await host.end('SIGKILL');
  if (how === 'without') {
    for (const name of await readdir(host.stateDir)) {
      if (name.startsWith('index.sqlite')) await rm(join(host.stateDir, name));
    }
  }
  await host.start();
  const later = await host.connect();
  expect(await listed(later)).toEqual([kept.uri]);
  await expect(later.openSession(dropped.uri)).rejects.toBeInstanceOf(SessionGoneError);
  expect(await readdir(join(host.stateDir, 'session-state'))).toEqual([kept.uri.slice('mock:/'.length)]);
});
