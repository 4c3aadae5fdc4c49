import { createMemoryTransportPair, RpcPeer } from '@agenthost/rpc';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeHost } from '../../client/test/support/fakeHost.js';
import { AhpGateway } from '../src/gateway/gateway.js';
import { DEFAULT_AHP_LIMITS } from '../src/gateway/limits.js';

const SESSION = 'mock:/one';
const silent = { debug: () => undefined, warn: () => undefined, error: () => undefined };
let timers: { readonly run: () => void; readonly ms: number }[];
let gateway: AhpGateway;
let fake: FakeHost;
let titles: string[];

beforeEach(() => {
  timers = [];
  titles = [];
  fake = new FakeHost();
  fake.addSession(SESSION);
  gateway = new AhpGateway({
    log: silent,
    firstSeq: 100,
    schedule: (run, ms) => {
      timers.push({ run, ms });
      return { dispose: () => undefined };
    },
  });
});
afterEach(() => gateway.dispose());

function connect(): RpcPeer {
  const { a, b } = createMemoryTransportPair();
  const peer = new RpcPeer(a);
  peer.onNotification('action', {
    parse: (params) => params as { action: { type: string; title?: string } },
    handle: ({ action }) => void (action.title !== undefined && titles.push(action.title)),
  });
  gateway.accept(b, { credentialId: 'anybody', openHost: fake.transport });
  return peer;
}

/** Back, with the answer, and then the session gets these titles. */
async function comeBack(...after: readonly string[]): Promise<RpcPeer> {
  const first = connect();
  await first.request('initialize', { clientId: 'me', protocolVersions: ['0.9.0'], initialSubscriptions: [SESSION] });
  first.close();
  const peer = connect();
  await peer.request('reconnect', { clientId: 'me', lastSeenServerSeq: 100, subscriptions: [SESSION] });
  for (const title of after) fake.dispatch(SESSION, { type: 'session/titleChanged', title });
  // Whatever was sent before the answer to this has arrived with it; it does not count as a word of the client.
  await peer.request('ping', {});
  await peer.request('ping', {});
  return peer;
}

it('envelopes after the answer to a reconnect wait for a message of the client', async () => {
  const peer = await comeBack('one', 'two');
  expect(titles).toEqual([]);
  peer.notify('setClientManagedSettingsPermissions', { permissions: {} });
  await expect.poll(() => titles).toEqual(['one', 'two']);
  fake.dispatch(SESSION, { type: 'session/titleChanged', title: 'three' });
  await expect.poll(() => titles).toEqual(['one', 'two', 'three']);
});

it('or for a moment, when the client sends nothing', async () => {
  await comeBack('one');
  expect(titles).toEqual([]);
  timers.find(({ ms }) => ms === DEFAULT_AHP_LIMITS.holdBackMs)?.run();
  await expect.poll(() => titles).toEqual(['one']);
});
