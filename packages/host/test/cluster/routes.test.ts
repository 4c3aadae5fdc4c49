import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ActionEnvelope, type ClientAction, createSessionState } from '@agenthost/protocol';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { type Frame, FrameSocket } from '../../../../test/support/frameSocket.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { rawSession, startTestHost, type TestHost } from '../../../../test/support/testHost.js';
import { FollowedSession } from '../../src/cluster/followedSession.js';
import { linkProof } from '../../src/cluster/links/linkKeys.js';
import type { SessionOwner } from '../../src/cluster/sessionOwner.js';
import { ClientRoutes } from '../../src/sessions/turn/clientRoutes.js';
import { Delivery, type EncodedFrame } from '../../src/state/delivery.js';
import { Publisher } from '../../src/state/publisher.js';
import { DEFAULT_REPLAY_LIMITS, ReplayBuffer } from '../../src/state/replayBuffer.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

let database: string;
beforeEach(async () => {
  database = await postgres.server.newDatabase();
});

async function start(): Promise<TestHost> {
  const host = await startTestHost({ database, leaseMs: 20_000 });
  cleanups.push(() => host.dispose());
  return host;
}

interface LinkFrame extends Frame {
  readonly params?: {
    readonly clientSeq?: number;
    readonly route?: number;
    readonly envelope?: { readonly action: { readonly title?: string }; readonly rejectionReason?: string };
  };
}

/** A link to a host as another host makes it. */
class RawLink extends FrameSocket<LinkFrame> {
  static async open(host: TestHost, from: string, maxVersion: number): Promise<RawLink> {
    const sql = `select link_key from agenthost.host where id = '${host.host.instanceId}'`;
    const [row] = await postgres.server.query<{ link_key: string }>(database, sql);
    const authorization = linkProof(row?.link_key ?? '', from, host.host.instanceId);
    const url = new URL('/link', host.url).href.replace(/^http/, 'ws');
    const link = new RawLink(new WebSocket(url, { headers: { authorization } }));
    cleanups.push(() => link.end());
    await once(link.socket, 'open');
    await link.request('link.hello', { hostId: from, minVersion: 1, maxVersion });
    return link;
  }

  async bind(uri: string, client: string): Promise<number | undefined> {
    return (await this.request<{ routes: number[] }>('link.bind', { uri, clients: [client] })).routes[0];
  }

  rename(uri: string, clientSeq: number, title: string, route?: number): void {
    const action = { type: 'session/titleChanged', session: uri, at: 1, title };
    const as = { author: { clientId: 'bob' }, protocolVersion: 1, role: 'owner' };
    this.notify('link.dispatch', { uri, clientSeq, action, as, ...(route !== undefined && { route }) });
  }

  echo(title: string): Promise<LinkFrame> {
    return this.next(({ params }) => params?.envelope?.action.title === title, `the echo of ${title}`);
  }
}

const titleOf = async (host: TestHost, session: string) =>
  (await (await host.raw(`reader-${crypto.randomUUID()}`)).stateOf(session)).summary.title;

describe('the routes of a client that comes over several hosts', () => {
  it('[FOL4] the newest wins, and what comes over an older one is dropped', async () => {
    const owner = await start();
    const session = await rawSession([await owner.raw('alice')]);
    const [first, second] = [await RawLink.open(owner, 'one', 2), await RawLink.open(owner, 'two', 2)];
    await first.request('link.follow', { uri: session });
    await second.request('link.follow', { uri: session });
    const old = await first.bind(session, 'bob');
    first.rename(session, 1, 'in time', old);
    await second.echo('in time');
    const route = await second.bind(session, 'bob');
    expect(route).toBeGreaterThan(old ?? 0);
    first.rename(session, 2, 'too late', old);
    await first.next(
      ({ method, params }) => method === 'link.dropped' && params?.clientSeq === 2 && params.route === old,
    );
    // Under the same number: nothing has used it up.
    second.rename(session, 2, 'over the new one', route);
    await first.echo('over the new one');
    expect(await titleOf(owner, session)).toBe('over the new one');
    expect(JSON.stringify(second.received)).not.toContain('too late');
  });

  it('[FOL2] an answer names the route of the action', async () => {
    const owner = await start();
    const session = await rawSession([await owner.raw('alice')]);
    const link = await RawLink.open(owner, 'one', 2);
    await link.request('link.follow', { uri: session });
    const isAnswer = ({ method }: LinkFrame) => method === 'link.settled';
    const first = await link.bind(session, 'bob');
    link.rename(session, 1, 'once', first);
    await link.echo('once');
    // It had used that number for something else.
    link.rename(session, 1, 'twice', first);
    expect((await link.next(isAnswer)).params).toMatchObject({
      route: first,
      envelope: { rejectionReason: expect.any(String) },
    });
    const second = await link.bind(session, 'bob');
    link.rename(session, 1, 'again', second);
    const answer = await link.next((frame) => isAnswer(frame) && frame.params?.route === second);
    expect(answer.params?.envelope?.action.title).toBe('again');
  });

  it('[FOL4] a connection to the owner is one, and ends those over links; its old connection is sent back', async () => {
    const [owner, follower] = [await start(), await start()];
    const session = await rawSession([await owner.raw('alice')]);
    const before = await follower.raw('bob');
    await before.stateOf(session);
    await before.act({ type: 'session/titleChanged', session, title: 'over the link' });
    const now = await owner.raw('bob');
    await now.stateOf(session);
    before.dispatch({ type: 'session/titleChanged', session, title: 'given up' });
    expect(await before.closed).toMatchObject({ code: 4409 });
    expect(await titleOf(owner, session)).toBe('over the link');
    // And back again.
    const again = await follower.raw('bob');
    await again.stateOf(session);
    again.dispatch({ type: 'session/titleChanged', session, title: 'over the link again' }, 10);
    await again.echo(10);
    now.dispatch({ type: 'session/titleChanged', session, title: 'given up too' }, 11);
    expect(await now.closed).toMatchObject({ code: 4409 });
    again.dispatch({ type: 'session/titleChanged', session, title: 'the end' }, 11);
    await again.echo(11);
    expect(await titleOf(owner, session)).toBe('the end');
  });

  it('[FOL4] are bounded: the client that connected first is forgotten first', () => {
    const routes = new ClientRoutes();
    const first = routes.bind('first');
    expect(routes.bind('first')).toBeGreaterThan(first);
    expect(routes.isNewest('first', first)).toBe(false);
    for (let n = 0; n < 1_000; n++) routes.bind(`client ${n}`);
    expect(routes.isNewest('first', first)).toBe(true);
    expect(routes.isNewest('client 0', 1)).toBe(false);
  });
});

/** A mirror whose owner is the test: it gives out routes, and gets what is dispatched. */
function mirrorOf(uri: string) {
  const sent: { readonly clientSeq: number; readonly route: number | undefined }[] = [];
  const bound: (readonly string[])[] = [];
  const owner: SessionOwner = {
    bind: async (clients) => clients.map(() => bound.push(clients)),
    dispatch: (clientSeq, _action, _as, route) => void sent.push({ clientSeq, route }),
    viewers: () => {},
    setTools: async () => null,
    toolsLeft: () => {},
  };
  const publisher = new Publisher(new Delivery(), new ReplayBuffer(0, DEFAULT_REPLAY_LIMITS));
  const state = createSessionState({ resource: uri, provider: 'mock', createdAt: 1 });
  let serverSeq = 0;
  const sequence = { current: 0, next: () => ++serverSeq };
  const mirror = new FollowedSession(
    { uri, space: 'default', publisher, sequence, owner },
    { state, accepted: [], incarnation: 'i' },
  );
  const action: ClientAction = { type: 'session/titleChanged', session: uri, at: 1, title: 'x' };
  return { mirror, sent, bound, action };
}

/** A connection of bob to the host of a mirror. */
class BobsConnection {
  readonly author = { clientId: 'bob' };
  readonly protocolVersion = 1;
  readonly heard: string[] = [];
  isOpen = true;
  deliver(frames: readonly EncodedFrame[]): void {
    for (const { text } of frames) this.heard.push(JSON.parse(text).params.envelope.rejectionReason ?? 'accepted');
  }
  cutOff(reason: string): void {
    this.heard.push(reason);
  }
}

describe('what a connection sent that has ended since', () => {
  const ended = { author: { clientId: 'bob' }, protocolVersion: 1, isOpen: false, deliver() {}, cutOff() {} };

  it('[FOL4] is taken, unless its client has another connection by now', () => {
    const routes = new ClientRoutes();
    expect(routes.isNewestHere({ ...ended })).toBe(true);
    routes.bindHere({ ...ended, isOpen: true });
    expect(routes.isNewestHere({ ...ended })).toBe(false);
  });

  it('[FOL4] keeps its route when it had one, and gets no new one', async () => {
    const { mirror, sent, bound, action } = mirrorOf('mock:/one');
    mirror.dispatchFromClient(ended, 1, action);
    const inTime = { ...ended, isOpen: true };
    mirror.dispatchFromClient(inTime, 2, action);
    inTime.isOpen = false;
    mirror.dispatchFromClient(inTime, 3, action);
    await vi.waitFor(() => expect(sent.map(({ route }) => route)).toEqual([0, 1, 1]));
    expect(bound).toEqual([['bob']]);
  });

  const refused = (action: ClientAction, rejectionReason: string): ActionEnvelope => ({
    action,
    serverSeq: 0,
    origin: { clientId: 'bob', clientSeq: 4 },
    rejectionReason,
  });

  it('[FOL2] is not answered to the next connection, which has sent it again', async () => {
    const { mirror, sent, action } = mirrorOf('mock:/one');
    const [before, now] = [new BobsConnection(), new BobsConnection()];
    mirror.dispatchFromClient(before, 4, action);
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    before.isOpen = false;
    mirror.dispatchFromClient(now, 4, action);
    await vi.waitFor(() => expect(sent.map(({ route }) => route)).toEqual([1, 2]));
    // The owner refused the first copy and takes the second: an answer to the first one says nothing of that.
    mirror.settle('bob', refused(action, 'too early'), 1);
    mirror.dropped('bob', 4, 1);
    mirror.receive({ action, serverSeq: 7, origin: { clientId: 'bob', clientSeq: 4 } });
    await vi.waitFor(() => expect(now.heard).toEqual(['accepted']));
    expect(mirror.isUnused).toBe(true);
  });

  it('[FOL2] does not take the answer of the next connection when it comes in later', async () => {
    const { mirror, sent, action } = mirrorOf('mock:/one');
    const [before, now] = [new BobsConnection(), new BobsConnection()];
    mirror.dispatchFromClient(now, 4, action);
    await vi.waitFor(() => expect(sent).toHaveLength(1));
    // It waited for the session to be found.
    before.isOpen = false;
    mirror.dispatchFromClient(before, 4, action);
    await vi.waitFor(() => expect(sent.map(({ route }) => route)).toEqual([1, 0]));
    mirror.settle('bob', refused(action, 'not now'), 1);
    await vi.waitFor(() => expect(now.heard).toEqual(['not now']));
    mirror.dropped('bob', 4, 0);
    expect(mirror.isUnused).toBe(true);
  });

  it('[FOL2] an owner that does not name routes answers the newest connection', async () => {
    const { mirror, sent, action } = mirrorOf('mock:/one');
    const [before, now] = [new BobsConnection(), new BobsConnection()];
    mirror.dispatchFromClient(before, 4, action);
    before.isOpen = false;
    mirror.dispatchFromClient(now, 4, action);
    await vi.waitFor(() => expect(sent).toHaveLength(2));
    mirror.settle('bob', refused(action, 'not now'));
    await vi.waitFor(() => expect(now.heard).toEqual(['not now']));
    expect(before.heard).toEqual([]);
  });
});

describe('hosts of the version before routes', () => {
  it('follow a session of this one', async () => {
    const owner = await start();
    const session = await rawSession([await owner.raw('alice')]);
    const older = await RawLink.open(owner, 'older', 1);
    await older.request('link.follow', { uri: session });
    older.rename(session, 1, 'without a route');
    await older.echo('without a route');
    expect(await titleOf(owner, session)).toBe('without a route');
  });

  it('own a session that this one follows', async () => {
    const follower = await start();
    const older = await startOlderHost();
    const session = await rawSession([await follower.raw('alice')]);
    const { state } = await (await follower.raw('carol')).request<{ state: object }>('subscribe', {
      resource: session,
    });
    await postgres.server.query(
      database,
      `insert into agenthost.host (id, place, machine, state_dir, version, url, link_key)
       values ('older', 'here', 'older', '/older', '0', '${older.url.href}', 'key')`,
    );
    const elsewhere = `mock:/${crypto.randomUUID()}`;
    older.state = JSON.parse(JSON.stringify(state).replaceAll(session, elsewhere));
    await postgres.server.query(
      database,
      `insert into agenthost.session (id, owner, log_gen, log_size) values ('${elsewhere.slice(6)}', 'older', 1, 1)`,
    );
    const bob = await follower.raw('bob');
    await bob.stateOf(elsewhere);
    bob.dispatch({ type: 'session/titleChanged', session: elsewhere, title: 'to an older one' });
    await bob.echo(1);
    expect(older.methods).toContain('link.dispatch');
    expect(older.methods).not.toContain('link.bind');
  });
});

/** As much of a host of link version 1 as a follower needs. */
async function startOlderHost() {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  const methods: string[] = [];
  const older = { url: new URL('http://127.0.0.1'), methods, state: {} as object };
  sockets.on('connection', (socket) => {
    const send = (frame: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...frame }));
    socket.on('message', (data) => {
      const { id, method, params } = JSON.parse(String(data));
      methods.push(method);
      if (method === 'link.hello') send({ id, result: { hostId: 'older', minVersion: 1, maxVersion: 1 } });
      else if (method === 'link.ping') send({ id, result: { beatAgeMs: 0 } });
      else if (method === 'link.follow') {
        send({
          method: 'link.followed',
          params: { uri: params.uri, state: older.state, incarnation: 'i', accepted: [] },
        });
        send({ id, result: {} });
      } else if (method === 'link.dispatch') {
        const { action, clientSeq, as } = params;
        const origin = { clientId: as.author.clientId, clientSeq };
        send({ method: 'action', params: { envelope: { action, serverSeq: 1, origin } } });
      } else if (id !== undefined) send({ id, error: { code: -32601, message: 'unknown' } });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  older.url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  cleanups.push(async () => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  return older;
}
