import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLog } from '@agenthost/host';
import type { ListSessionsResult, SessionState, Snapshot } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LocalSessionStorage } from '../../../packages/host/src/storage/localSessionStorage.js';
import { rawSession, startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';

const SESSIONS = 150;

/** How often each log is open at the same time, at the most: two would mend, and cut, what the other writes. */
function watchLogs(beforeOpen: (sessionId: string) => Promise<void> | void = () => {}) {
  const open = LocalSessionStorage.prototype.open;
  const active = new Map<string, number>();
  const most = new Map<string, number>();
  const count = (id: string, change: number) => {
    const now = (active.get(id) ?? 0) + change;
    active.set(id, now);
    most.set(id, Math.max(most.get(id) ?? 0, now));
  };
  vi.spyOn(LocalSessionStorage.prototype, 'open').mockImplementation(async function (
    this: LocalSessionStorage,
    sessionId,
    options,
  ) {
    count(sessionId, 1);
    await beforeOpen(sessionId);
    const stored = await open.call(this, sessionId, options);
    const dispose = stored?.fs.dispose.bind(stored.fs);
    if (!stored || !dispose) return stored;
    const closing = async () => {
      count(sessionId, -1);
      await dispose();
    };
    Object.assign(stored.fs, { dispose: closing });
    return stored;
  });
  return most;
}

describe('a host that starts without its index', () => {
  let stateDir: string;
  let host: TestHost | undefined;
  let filled: PromiseWithResolvers<void>;

  const start = async (indexPatienceMs: number) => {
    filled = Promise.withResolvers<void>();
    const info = (message: string) => {
      if (message.includes('session index was filled')) filled.resolve();
    };
    host = await startTestHost({ stateDir, indexPatienceMs, log: { ...silentLog, info } });
    return host;
  };
  const stop = async () => {
    await host?.dispose();
    host = undefined;
  };

  beforeEach(async () => {
    stateDir = await temporaryFolder();
    const client = await (await start(60_000)).raw('maker');
    const uris = Array.from({ length: SESSIONS }, () => `mock:/${crypto.randomUUID()}`);
    for (const session of uris) await client.request('createSession', { session });
    for (const resource of uris) {
      const { state } = await client.request<Snapshot>('subscribe', { resource });
      if ((state as SessionState).lifecycle === 'creating') await client.nextAction(resource, 'session/ready');
    }
    await stop();
    for (const file of await readdir(stateDir)) if (file.startsWith('index.sqlite')) await rm(join(stateDir, file));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await stop();
    await rm(stateDir, { recursive: true, force: true });
  });

  const resources = ({ items }: ListSessionsResult) => items.map(({ resource }) => resource);

  it('serves at once; every session is in the first list or announced later, with progress', async () => {
    const running = await start(0);
    const client = await running.raw('alice');
    const first = await client.request<ListSessionsResult>('listSessions', { limit: 500 });
    await filled.promise;
    await client.fence();
    const announced = client.notifications.flatMap((told) =>
      told.type === 'notify/sessionAdded' ? [told.summary.resource] : [],
    );
    const last = await client.request<ListSessionsResult>('listSessions', { limit: 500 });
    expect(last.total).toBe(SESSIONS);
    expect(new Set([...resources(first), ...announced])).toEqual(new Set(resources(last)));
    expect(new Set(announced).size).toBe(announced.length);
    const progress = client.notifications.findLast(({ type }) => type === 'notify/progress');
    expect(progress).toMatchObject({ token: 'sessionIndex', done: 100, total: 100 });
  });

  it('sessions are used, created and removed meanwhile; the list and the logs have it all', async () => {
    const ids = await readdir(join(stateDir, 'session-state'));
    const running = await start(0);
    const client = await running.raw('alice');
    const [used, removed] = [`mock:/${ids[0]}`, `mock:/${ids[1]}`];
    const made = `mock:/${crypto.randomUUID()}`;
    const snapshots = ids.slice(2, 40).map((id) => client.request<Snapshot>('subscribe', { resource: `mock:/${id}` }));
    await client.request('createSession', { session: made });
    await client.request('subscribe', { resource: used });
    const turn = { session: used, turnId: 't', userMessage: { text: 'while it was filled' } };
    client.dispatch({ type: 'session/turnStarted', ...turn });
    await client.request('disposeSession', { session: removed });
    await client.nextAction(used, 'session/turnComplete');
    for (const { state } of await Promise.all(snapshots)) expect((state as SessionState).lifecycle).toBe('ready');
    await filled.promise;
    const list = (filter?: object) =>
      client.request<ListSessionsResult>('listSessions', { limit: 500, ...(filter && { filter }) });
    const after = await list();
    expect(after.total).toBe(SESSIONS);
    expect(resources(after)).toContain(made);
    expect(resources(after)).not.toContain(removed);
    const found = await list({ text: '"while it was filled"' });
    expect(resources(found)).toEqual([used]);
    await stop();

    const again = await (await start(60_000)).raw('alice');
    expect(await again.request<ListSessionsResult>('listSessions', { limit: 500 })).toEqual(after);
    const { state } = await again.request<Snapshot>('subscribe', { resource: used });
    expect((state as SessionState).turns).toMatchObject([{ id: 't', state: 'complete' }]);
  });

  it('a log that is read for the index is not opened until that is done', async () => {
    const gate = Promise.withResolvers<void>();
    const reading = Promise.withResolvers<string>();
    const most = watchLogs((id) => {
      reading.resolve(id);
      return gate.promise;
    });
    const client = await (await start(0)).raw('alice');
    const id = await reading.promise;
    const snapshot = client.request<Snapshot>('subscribe', { resource: `mock:/${id}` });
    await client.fence();
    gate.resolve();
    expect(((await snapshot).state as SessionState).lifecycle).toBe('ready');
    await filled.promise;
    expect(most.size).toBe(SESSIONS);
    expect(new Set(most.values())).toEqual(new Set([1]));
  });

  it('the log of an open session is not read a second time', async () => {
    const ids = await readdir(join(stateDir, 'session-state'));
    const gate = Promise.withResolvers<void>();
    const used = ids.slice(0, 20);
    const most = watchLogs((id) => (used.includes(id) ? undefined : gate.promise));
    const client = await (await start(0)).raw('alice');
    for (const id of used) await client.request('subscribe', { resource: `mock:/${id}` });
    gate.resolve();
    await filled.promise;
    const { total } = await client.request<ListSessionsResult>('listSessions');
    expect(total).toBe(SESSIONS);
    expect(new Set(most.values())).toEqual(new Set([1]));
  });

  it('an interrupted turn is reported, although its session is not opened', async () => {
    const client = await (await start(60_000)).raw('alice');
    const session = await rawSession([client]);
    client.dispatch({ type: 'session/turnStarted', session, turnId: 'x', userMessage: { text: 'hang' } });
    await client.nextAction(session, 'session/turnStarted');
    // What a kill would leave now, without the index.
    const copy = join(stateDir, 'copy');
    await cp(join(stateDir, 'session-state'), join(copy, 'session-state'), { recursive: true });
    await stop();
    const after = await startTestHost({ stateDir: copy, indexPatienceMs: 60_000 });
    try {
      const bob = await after.raw('bob');
      const { items } = await bob.request<ListSessionsResult>('listSessions', { filter: { status: 'error' } });
      expect(items.map(({ resource }) => resource)).toEqual([session]);
    } finally {
      await after.dispose();
    }
  });

  it('starts over when the host stopped before the end', async () => {
    await start(0);
    await stop();
    const client = await (await start(60_000)).raw('alice');
    expect((await client.request<ListSessionsResult>('listSessions')).total).toBe(SESSIONS);
  });
});
