import { rm } from 'node:fs/promises';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { ERROR_CODE, parseSessionUri, ROOT_URI, type SessionState, type Snapshot } from '@agenthost/protocol';
import type { InitializeResult, ReconnectResult } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { FlakyStorage } from '../../support/storage/flakyStorage.js';
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy.js';
import { rawSession, startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

let stateDir: string;
let storage: FlakyStorage;
let proxy: TcpProxy;
let host: TestHost;
let bob: RawClient;

beforeEach(async () => {
  stateDir = await temporaryFolder();
  storage = new FlakyStorage(stateDir);
  proxy = await startTcpProxy();
  host = await startTestHost({ stateDir, storage, sessionIdleMs: 20 }, { publicUrl: proxy.url });
  proxy.forwardTo(host.url);
  bob = await host.raw('bob');
});
afterEach(async () => {
  await host.dispose();
  await proxy.close();
  await rm(stateDir, { recursive: true, force: true });
});

const idOf = (uri: string) => parseSessionUri(uri)?.sessionId ?? '';
const rename = (session: string, title: string) => ({ session, type: 'session/titleChanged', title });

/** It has no subscriber, is unloaded, and can't be read. */
async function unreadable(session: string, code = 'EIO'): Promise<void> {
  await storage.unloaded(idOf(session));
  storage.failing.set(idOf(session), code);
}

describe('a session that can not be loaded for a while', () => {
  let lost: string;
  let kept: string;
  let lastSeenServerSeq: number;
  const opened: RawClient[] = [];

  beforeEach(async () => {
    const alice = await host.raw('alice');
    [lost, kept] = [await rawSession([alice]), await rawSession([alice])];
    await bob.request('subscribe', { resource: kept });
    await alice.act(rename(lost, 'still there'));
    await alice.fence();
    lastSeenServerSeq = alice.envelopes.at(-1)?.serverSeq ?? 0;
    await alice.end();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((client) => client.end()));
  });

  async function open(): Promise<RawClient> {
    const client = await RawClient.open(host);
    opened.push(client);
    return client;
  }

  const params = (protocolVersion: number, subscriptions: readonly string[]) => ({
    protocolVersion,
    clientId: 'alice',
    lastSeenServerSeq,
    subscriptions,
  });

  it.each([
    ['EIO', ERROR_CODE.internalError],
    ['EMFILE', ERROR_CODE.internalError],
    ['ETIMEDOUT', ERROR_CODE.internalError],
    ['UNAVAILABLE', ERROR_CODE.sessionFsUnavailable],
  ])('[REC3] is failed, not missing, and the others are resumed: %s', async (storageCode, code) => {
    await unreadable(lost, storageCode);
    const client = await open();
    const wanted = params(2, [lost, kept, 'mock:/none', ROOT_URI]);
    const result = await client.request<ReconnectResult>('reconnect', wanted);
    expect(result).toMatchObject({ type: 'replay', missing: ['mock:/none'] });
    expect(result.failed).toEqual([
      { resource: lost, error: { code, message: expect.stringContaining(`${storageCode}: a hiccup`) } },
    ]);
    expect(Object.keys(result.acceptedClientSeq)).not.toContain(lost);
    expect(await client.refusal('subscribe', { resource: lost })).toMatchObject({ code });
    await bob.act(rename(kept, 'goes on'));
    await client.nextAction(kept, 'session/titleChanged');
    storage.failing.clear();
    const { state } = await client.request<Snapshot>('subscribe', { resource: lost });
    expect((state as SessionState).summary.title).toBe('still there');
  });

  it('[REC3] has no `failed` when nothing failed', async () => {
    const result = await (await open()).request<ReconnectResult>('reconnect', params(2, [kept, 'mock:/none']));
    expect(result).not.toHaveProperty('failed');
    const client = await open();
    const initialized = await client.request('initialize', { protocolVersion: 2, clientId: 'carol' });
    expect(initialized).not.toHaveProperty('failed');
  });

  it('[REC3] is failed in the answer to initialize as well', async () => {
    await unreadable(lost);
    const client = await open();
    const initialSubscriptions = [lost, kept, 'mock:/none'];
    const greeting = { protocolVersion: 2, clientId: 'carol', initialSubscriptions };
    const result = await client.request<InitializeResult>('initialize', greeting);
    expect(result.snapshots.map(({ resource }) => resource)).toEqual([kept]);
    expect(result.failed).toMatchObject([{ resource: lost, error: { code: ERROR_CODE.internalError } }]);
  });

  it('[REC3] makes a client of version 1 try again, because it can not be told which one failed', async () => {
    await unreadable(lost);
    const client = await open();
    for (let n = 0; n < 3; n++) {
      const { code, message } = await client.refusal('reconnect', params(1, [kept, lost]));
      expect([code, message]).toEqual([ERROR_CODE.tooManyRequests, expect.stringContaining(`${lost} can't be loaded`)]);
      expect(message).toContain('try again');
    }
    const greeting = { protocolVersion: 1, clientId: 'alice', initialSubscriptions: [lost] };
    expect(await client.refusal('initialize', greeting)).toMatchObject({ code: ERROR_CODE.tooManyRequests });
    expect(await client.refusal('subscribe', { resource: kept })).toMatchObject({ code: ERROR_CODE.invalidRequest });
    storage.failing.clear();
    const result = await client.request<ReconnectResult>('reconnect', params(1, [kept, lost, 'mock:/none']));
    expect(result).toMatchObject({ type: 'replay', missing: ['mock:/none'] });
    expect(result).not.toHaveProperty('failed');
    await bob.request('subscribe', { resource: lost });
    await bob.act(rename(lost, 'followed'));
    await client.nextAction(lost, 'session/titleChanged');
  });
});

describe('the SDK, whose session can not be loaded after a reconnect', () => {
  let alice: HostClient;
  let lost: SessionHandle;
  let kept: SessionHandle;

  beforeEach(async () => {
    alice = await host.connect({ url: proxy.url, random: () => 0.01 });
    [lost, kept] = await Promise.all([
      alice.createSession({ provider: 'mock' }),
      alice.createSession({ provider: 'mock' }),
    ]);
    await Promise.all([lost.ready(), kept.ready()]);
    await lost.rename('before');
  });

  async function goAway(): Promise<void> {
    proxy.allow(false);
    const left = until(alice.connection, ({ state }) => state === 'reconnecting', 'the loss');
    proxy.cut();
    await left;
  }

  async function comeBack(): Promise<void> {
    proxy.allow(true);
    alice.retryNow();
    await until(alice.connection, ({ state }) => state === 'connected', 'the return');
  }

  it('[REC3] keeps it, says so, asks again, and sends waiting messages once it is loaded', async () => {
    await goAway();
    await unreadable(lost.uri);
    await comeBack();
    const interrupted = await until(lost.interrupted, (value) => value !== undefined, 'the interruption');
    expect(interrupted).toMatchObject({ error: { name: 'CommandFailedError', code: ERROR_CODE.internalError } });
    expect([lost.gone.value, kept.interrupted.value]).toEqual([undefined, undefined]);
    await kept.rename('the other one works');
    const waits = lost.rename('waited');
    expect([lost.state.value.summary.title, lost.confirmed.value.summary.title]).toEqual(['waited', 'before']);
    // It is asked for again, later each time.
    await until(lost.interrupted, (value) => (value?.attempt ?? 0) >= 3, 'the third attempt');
    storage.failing.clear();
    await waits;
    expect([lost.interrupted.value, lost.confirmed.value.summary.title]).toEqual([undefined, 'waited']);
    const his = await bob.stateOf(lost.uri);
    expect(his.summary.title).toBe('waited');
    await bob.act(rename(lost.uri, 'followed'));
    await until(lost.confirmed, ({ summary }) => summary.title === 'followed', 'what others do');
  });

  it('[REC3] misses nothing when the connection is lost again meanwhile', async () => {
    await goAway();
    await unreadable(lost.uri);
    await comeBack();
    await until(lost.interrupted, (value) => value !== undefined, 'the interruption');
    await kept.rename('numbers go on');
    await goAway();
    storage.failing.clear();
    const his = await bob.stateOf(lost.uri);
    expect(his.summary.title).toBe('before');
    await bob.act(rename(lost.uri, 'missed'));
    await comeBack();
    await until(lost.confirmed, ({ summary }) => summary.title === 'missed', 'what it missed');
    expect(lost.interrupted.value).toBeUndefined();
    await lost.rename('after');
  });

  it('[REC3] drops it with its waiting messages when it turns out to be gone', async () => {
    await goAway();
    await unreadable(lost.uri);
    await comeBack();
    await until(lost.interrupted, (value) => value !== undefined, 'the interruption');
    const waits = expect(lost.rename('never')).rejects.toMatchObject({ name: 'SessionGoneError' });
    storage.failing.clear();
    await bob.request('disposeSession', { session: lost.uri });
    await waits;
    expect(lost.gone.value?.session).toBe(lost.uri);
    expect(lost.interrupted.value).toBeUndefined();
  });

  it('[REC3] stops asking when its last handle is closed', async () => {
    await goAway();
    await unreadable(lost.uri);
    await comeBack();
    await until(lost.interrupted, (value) => (value?.attempt ?? 0) >= 2, 'another attempt');
    lost.close();
    await alice.ping();
    const { opened } = storage;
    await kept.rename('time goes by');
    await alice.ping();
    expect(storage.opened).toBe(opened);
    storage.failing.clear();
    expect((await alice.openSession(lost.uri)).interrupted.value).toBeUndefined();
  });
});
