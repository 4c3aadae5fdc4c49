import { createSessionState } from '@agenthost/protocol';
import { expect, it, vi } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { FollowedSession } from '../../src/cluster/followedSession.js';
import { FollowedSessions } from '../../src/cluster/followedSessions.js';
import type { FollowResult } from '../../src/cluster/links/linkMessages.js';
import type { Links } from '../../src/cluster/links/links.js';
import { Delivery } from '../../src/state/delivery.js';
import { Publisher } from '../../src/state/publisher.js';
import { DEFAULT_REPLAY_LIMITS, ReplayBuffer } from '../../src/state/replayBuffer.js';

const uri = 'mock:/one';
const cleanups = cleanupsOfTests();

const publisher = new Publisher(new Delivery(), new ReplayBuffer(0, DEFAULT_REPLAY_LIMITS));
const sequence = { current: 0, next: () => 1 };
const state = createSessionState({ resource: uri, provider: 'mock', createdAt: 1 });
const result: FollowResult = { state, accepted: [], incarnation: 'i', told: [] };

/** What this host follows over links that are the test: each owner has the session as it was made. */
function followed() {
  const binds = new Map<string, PromiseWithResolvers<unknown>>();
  const link = (hostId: string) => ({
    hasRoutes: true,
    notify: () => {},
    request: async (method: string) => {
      if (method === 'link.follow') return sessions.eventsOf(hostId).followed(uri, result);
      binds.set(hostId, Promise.withResolvers());
      return binds.get(hostId)?.promise;
    },
  });
  const sessions: FollowedSessions = new FollowedSessions({
    hub: { spaceOf: async () => 'default' },
    links: { to: async (hostId: string) => link(hostId) } as unknown as Links,
    publisher,
    sequence,
    open: () => sessions.follow(uri, 'second'),
  });
  cleanups.push(async () => sessions.dispose());
  return { sessions, binds };
}

it('an owner that is gone says nothing about a session that has gone on at another host', async () => {
  const { sessions, binds } = followed();
  const cutOff = vi.fn();
  const mirror = await sessions.follow(uri, 'first');
  mirror.resume({ author: { clientId: 'bob' }, protocolVersion: 1, deliver() {}, cutOff });
  await vi.waitFor(() => expect(binds.has('first')).toBe(true));
  sessions.eventsOf('first').moved(uri, true);
  await vi.waitFor(() => expect(binds.has('second')).toBe(true));
  expect(sessions.get(uri)).toBe(mirror);
  binds.get('first')?.reject(new Error('the link was cut'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(cutOff).not.toHaveBeenCalled();
  binds.get('second')?.reject(new Error('the link was cut'));
  await vi.waitFor(() => expect(cutOff).toHaveBeenCalledOnce());
});

it.each([
  { what: 'actions', length: 10, fits: 1_000 },
  { what: 'bytes', length: 4 * 1024 * 1024, fits: 7 },
])('while an owner is looked for, not too many $what wait: who sends more has to come back', ({ length, fits }) => {
  const mirror = new FollowedSession({ uri, space: 'default', publisher, sequence }, result);
  const cutOff = vi.fn();
  const bob = { author: { clientId: 'bob' }, protocolVersion: 1, deliver() {}, cutOff };
  const title = 'x'.repeat(length);
  for (let clientSeq = 1; clientSeq <= fits + 1; clientSeq++) {
    expect(cutOff).not.toHaveBeenCalled();
    mirror.dispatchFromClient(bob, clientSeq, { type: 'session/titleChanged', session: uri, at: 1, title });
  }
  expect(cutOff).toHaveBeenCalledOnce();
});
