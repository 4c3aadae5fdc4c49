import { createMemoryTransportPair, RpcPeer } from '@agenthost/rpc';
import { afterEach, expect, it } from 'vitest';
import { FakeHost } from '../../client/test/support/fakeHost.js';
import { AhpGateway } from '../src/gateway/gateway.js';

const SESSION = 'mock:/one';
const silent = { debug: () => undefined, warn: () => undefined, error: () => undefined };
const gateway = new AhpGateway({ log: silent, firstSeq: 100 });
const fake = new FakeHost();
afterEach(() => gateway.dispose());

function connect(): { peer: RpcPeer; closed: Promise<string> } {
  const { a, b } = createMemoryTransportPair();
  const peer = new RpcPeer(a);
  const closed = new Promise<string>((resolve) => peer.onClose(({ message }) => resolve(message)));
  gateway.accept(b, { credentialId: 'anybody', openHost: fake.transport });
  return { peer, closed };
}

it('a client whose session changed without actions has to reconnect, and gets snapshots', async () => {
  fake.addSession(SESSION);
  const first = connect();
  await first.peer.request('initialize', {
    clientId: 'me',
    protocolVersions: ['0.9.0'],
    initialSubscriptions: [SESSION],
  });
  // The link to the host breaks, and what happens meanwhile can't be replayed.
  fake.forgetReplay();
  fake.drop();
  fake.dispatch(SESSION, { type: 'session/titleChanged', title: 'Meanwhile' });
  fake.forgetReplay();
  expect(await first.closed).toContain('loaded again');
  const { peer } = connect();
  const answer = await peer.request('reconnect', { clientId: 'me', lastSeenServerSeq: 100, subscriptions: [SESSION] });
  expect(answer).toMatchObject({ type: 'snapshot', snapshots: [{ state: { title: 'Meanwhile' } }] });
});
