import type { Notification, SessionSummary } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { AwayPlaces } from '../../src/cluster/awayPlaces.js';
import { silentLog } from '../../src/hostLog.js';

const summary = (id: string, metadata: object): SessionSummary => ({
  resource: `mock:/${id}`,
  provider: 'mock',
  title: id,
  createdAt: 1,
  modifiedAt: 1,
  status: 'idle',
  isRead: true,
  isArchived: false,
  metadata: { ...metadata },
});

it('[PLACE3] tells clients of the sessions of a place in steps, and stops when it has changed again', async () => {
  let live = new Set(['here', 'there']);
  const told: Notification[] = [];
  const all = Array.from({ length: 60 }, (_, n) => summary(String(n), { remoteAgentHost: 'there', branch: 'main' }));
  const newer = summary('0', { remoteAgentHost: 'there', branch: 'next' });
  let reads = 0;
  const places: AwayPlaces = new AwayPlaces({
    cluster: {
      get livePlaces() {
        return live;
      },
      placesOf: async () => new Map(),
      // A host has told something that the database has only now.
      newestOf: async () =>
        (reads++ < 2 ? all : [...all.slice(1), newer]).map((one) => ({ summary: one, space: 'default' })),
    },
    broadcast: (notification) => {
      told.push(notification);
      // It is back in the middle of this.
      if (told.length === 30) {
        live = new Set(['here', 'there']);
        places.polled();
      }
    },
    log: silentLog,
  });
  places.polled();
  live = new Set(['here']);
  places.polled();
  await expect.poll(() => told.length, { timeout: 10_000 }).toBe(30 + 60 + 1);
  const metadata = told.map((one) => one.type === 'notify/sessionSummaryChanged' && one.changes.metadata);
  const back = { remoteAgentHost: 'there', branch: 'main' };
  expect(metadata).toEqual([
    ...Array(30).fill({ ...back, away: true }),
    ...Array(60).fill(back),
    { ...back, branch: 'next' },
  ]);
});
