import { ERROR_CODE, PROTOCOL_VERSION } from '@agenthost/protocol';
import { createMemoryTransportPair, RpcError, type Transport } from '@agenthost/rpc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect, createHostClient } from '../src/connect.js';
import {
  ClientClosedError,
  CommandTimeoutError,
  ConnectionLostError,
  HostUnreachableError,
  LimitReachedError,
  UnauthorizedError,
  UnsupportedVersionError,
} from '../src/errors.js';
import type { HostClient } from '../src/hostClient.js';
import { FakeHost } from './support/fakeHost.js';
import { flush } from './support/flush.js';

let fake: FakeHost;
const opened: HostClient[] = [];
const open = async (options: Partial<Parameters<typeof connect>[0]> = {}) => {
  const host = await connect({ transport: fake.transport, clientId: 'me', keepAliveMs: 0, ...options } as never);
  opened.push(host);
  return host;
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  fake = new FakeHost();
});
afterEach(() => {
  for (const host of opened.splice(0)) host.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('connecting', () => {
  it('sends its info and receives the root state', async () => {
    fake.root = {
      agents: [
        { provider: 'shell', displayName: 'Shell', description: '', models: [], availability: { state: 'available' } },
      ],
    };
    const host = await open({ clientInfo: { name: 'a test', device: 'desk' } });
    expect(fake.requests('initialize')).toEqual([
      {
        protocolVersion: PROTOCOL_VERSION,
        clientId: 'me',
        clientInfo: { name: 'a test', device: 'desk' },
        initialSubscriptions: ['agenthost:root'],
      },
    ]);
    expect(host.root.state.value).toEqual(fake.root);
    const seen: number[] = [];
    host.root.state.subscribe(({ agents }) => seen.push(agents.length));
    fake.changeAgents([]);
    await flush();
    expect(seen).toEqual([0]);
  });

  it('generates a clientId', async () => {
    const [one, two] = [await open({ clientId: undefined as never }), await open({ clientId: undefined as never })];
    expect(one.clientId).toMatch(/^[0-9a-f-]{36}$/);
    expect(one.clientId).not.toBe(two.clientId);
  });

  it('continues from the stored number', async () => {
    fake.addSession('shell:/one');
    let last = 41;
    const save = (next: number) => {
      last = next;
    };
    const session = await (await open({ clientSeq: { load: () => last, save } })).openSession('shell:/one');
    await session.rename('x');
    expect([last, fake.requests('dispatchAction')]).toEqual([42, [expect.objectContaining({ clientSeq: 42 })]]);
  });

  it('rejects when the first attempt fails, and does not retry', async () => {
    fake.unreachable = new Error('ECONNREFUSED');
    await expect(open()).rejects.toThrow(HostUnreachableError);
    await expect(open()).rejects.toThrow('ECONNREFUSED');
    await vi.advanceTimersByTimeAsync(100_000);
    expect(fake.connectionsMade).toBe(2);
  });

  it('createHostClient retries until it succeeds', async () => {
    fake.unreachable = new Error('ECONNREFUSED');
    const host = createHostClient({ transport: fake.transport });
    opened.push(host);
    expect(host.connection.value).toEqual({ state: 'connecting' });
    await flush();
    expect(host.connection.value).toMatchObject({ state: 'reconnecting', attempt: 1 });
    fake.addSession('shell:/one');
    const session = host.openSession('shell:/one');
    fake.unreachable = undefined;
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await session).uri).toBe('shell:/one');
    await host.connected();
  });

  it('rejects a wrong credential', async () => {
    fake.closeWith = { code: 4401, message: 'wrong token' };
    await expect(open()).rejects.toThrow(UnauthorizedError);
    fake.closeWith = undefined;
    fake.refuse.set('initialize', new RpcError(ERROR_CODE.permissionDenied, 'not your clientId'));
    await expect(open()).rejects.toThrow(UnauthorizedError);
  });

  it('rejects an unsupported version', async () => {
    const data = { supportedVersions: [7, 6] };
    fake.refuse.set('initialize', new RpcError(ERROR_CODE.unsupportedProtocolVersion, 'too old', { data }));
    const refused = open();
    await expect(refused).rejects.toThrow(UnsupportedVersionError);
    await expect(refused).rejects.toMatchObject({ hostVersions: [7, 6], message: /update the client/ });
    fake.refuse.clear();
    fake.protocolVersion = 99;
    await expect(open()).rejects.toThrow(UnsupportedVersionError);
  });

  it('times out, and closes a connection that comes too late', async () => {
    const { a, b } = createMemoryTransportPair();
    let arrive: (transport: Transport) => void = () => {};
    const transport = () => new Promise<Transport>((resolve) => (arrive = resolve));
    const connecting = expect(connect({ transport, connectTimeoutMs: 500 })).rejects.toThrow('within 500 ms');
    await vi.advanceTimersByTimeAsync(500);
    await connecting;
    const closed = vi.fn();
    b.onClose(closed);
    arrive(a);
    await flush();
    expect(closed).toHaveBeenCalledOnce();
  });

  it('can be aborted', async () => {
    const controller = new AbortController();
    const connecting = connect({ transport: () => new Promise<Transport>(() => {}) }, controller.signal);
    controller.abort(new Error('changed my mind'));
    await expect(connecting).rejects.toThrow('changed my mind');
  });

  it('reconnects at once when the network is back', async () => {
    const scope = new EventTarget();
    vi.stubGlobal('addEventListener', scope.addEventListener.bind(scope));
    vi.stubGlobal('removeEventListener', scope.removeEventListener.bind(scope));
    const page = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
    vi.stubGlobal('document', page);
    const host = await open();
    for (const wake of [
      () => scope.dispatchEvent(new Event('online')),
      () => {
        page.visibilityState = 'visible';
        page.dispatchEvent(new Event('visibilitychange'));
      },
    ]) {
      fake.drop();
      await flush();
      expect(host.connection.value.state).toBe('reconnecting');
      wake();
      await flush();
      expect(host.connection.value.state).toBe('connected');
    }
  });

  it('notices a host that does not answer pings', async () => {
    const host = await open({ keepAliveMs: 20_000 });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(fake.requests('ping')).toHaveLength(1);
    fake.silent.add('ping');
    await vi.advanceTimersByTimeAsync(29_999);
    expect(fake.connectionsMade).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    await flush();
    expect([host.connection.value.state, fake.connectionsMade]).toEqual(['connected', 2]);
  });
});

describe('commands', () => {
  it('wait for the connection, in order', async () => {
    const host = await open();
    fake.drop();
    await flush();
    const created = host.createSession({ provider: 'shell', session: 'shell:/one' });
    await flush();
    host.retryNow();
    expect((await created).uri).toBe('shell:/one');
  });

  it('wait no longer than their time-out, up to a limit', async () => {
    const host = await open({ maxWaitingCommands: 2, commandTimeoutMs: 100 });
    fake.unreachable = new Error('away');
    fake.drop();
    await flush();
    const lists = [host.listSessions(), host.listSessions()].map((list) =>
      expect(list).rejects.toMatchObject({ name: 'ConnectionLostError', sent: false }),
    );
    await expect(host.ping()).rejects.toThrow(LimitReachedError);
    await vi.advanceTimersByTimeAsync(100);
    await Promise.all(lists);
    const another = expect(host.ping()).rejects.toThrow(ConnectionLostError);
    await vi.advanceTimersByTimeAsync(100);
    await another;
  });

  it('time out', async () => {
    const host = await open();
    fake.silent.add('listSessions');
    const listed = expect(host.listSessions({}, { timeoutMs: 50 })).rejects.toThrow(CommandTimeoutError);
    await vi.advanceTimersByTimeAsync(50);
    await listed;
    const controller = new AbortController();
    const aborted = host.listSessions({}, { signal: controller.signal });
    controller.abort(new Error('never mind'));
    await expect(aborted).rejects.toThrow('never mind');
  });

  it('in flight: reads are repeated once, all others reject and say so', async () => {
    const host = await open();
    fake.addSession('shell:/one');
    for (const method of ['listSessions', 'disposeSession', 'subscribe']) fake.silent.add(method);
    const listed = host.listSessions();
    const opening = host.openSession('shell:/one');
    const disposed = expect(host.disposeSession('shell:/two')).rejects.toMatchObject({
      name: 'ConnectionLostError',
      sent: true,
    });
    await flush();
    fake.drop();
    await disposed;
    fake.silent.clear();
    host.retryNow();
    expect(await listed).toMatchObject({ total: 1 });
    expect((await opening).state.value).toEqual(fake.stateOf('shell:/one'));
    fake.silent.add('listSessions');
    const twice = expect(host.listSessions()).rejects.toThrow(ConnectionLostError);
    for (let i = 0; i < 2; i++) {
      await flush();
      fake.drop();
      await flush();
      host.retryNow();
    }
    await twice;
  });

  it('reject when the client is closed', async () => {
    const host = await open();
    fake.silent.add('listSessions');
    const listed = host.listSessions();
    host.close();
    await expect(listed).rejects.toThrow(ClientClosedError);
    await expect(host.ping()).rejects.toThrow(ClientClosedError);
    await expect(host.openSession('shell:/one')).rejects.toThrow(ClientClosedError);
    await expect(host.connected()).rejects.toThrow(ClientClosedError);
    await flush();
    expect(host.connection.value.state).toBe('closed');
  });
});
