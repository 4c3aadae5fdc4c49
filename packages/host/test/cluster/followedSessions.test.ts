import { createSessionState } from '@agenthost/protocol';
import { expect, it, vi } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { FollowedSessions } from '../../src/cluster/followedSessions.js';
import type { FollowResult } from '../../src/cluster/links/linkMessages.js';
import type { Links } from '../../src/cluster/links/links.js';
import { Delivery } from '../../src/state/delivery.js';
import { Publisher } from '../../src/state/publisher.js';
import { DEFAULT_REPLAY_LIMITS, ReplayBuffer } from '../../src/state/replayBuffer.js';

const uri = 'mock:/one';
const cleanups = cleanupsOfTests();

/** What this host follows over links that are the test: each owner has the session as it was made. */
function followed() {
  const state = createSessionState({ resource: uri, provider: 'mock', createdAt: 1 });
  const result: FollowResult = { state, accepted: [], incarnation: 'i', told: [] };
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
    publisher: new Publisher(new Delivery(), new ReplayBuffer(0, DEFAULT_REPLAY_LIMITS)),
    sequence: { current: 0, next: () => 1 },
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
