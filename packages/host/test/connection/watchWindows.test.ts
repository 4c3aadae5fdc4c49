import type { ListSessionsParams, ListSessionsResult, Notification, SessionSummary } from '@agenthost/protocol';
import { withSummaryChanges } from '@agenthost/protocol/internal';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientConnection } from '../../src/connection/clientConnection.js';
import { ClientRegistry } from '../../src/connection/clientRegistry.js';
import { silentLog } from '../../src/hostLog.js';
import { Delivery, type EncodedFrame } from '../../src/state/delivery.js';

const newerFirst = (a: SessionSummary, b: SessionSummary) =>
  b.modifiedAt - a.modifiedAt || (a.resource < b.resource ? 1 : a.resource > b.resource ? -1 : 0);

/** What the host has, and how it answers `listSessions`. */
class World {
  readonly sessions = new Map<string, SessionSummary>();
  #clock = 1_000_000;
  #made = 0;
  /** A list that was asked for is answered only when this resolves. */
  gate: Promise<void> | undefined;
  failsOnce = false;

  listed(): SessionSummary[] {
    return [...this.sessions.values()].sort(newerFirst);
  }

  list = async ({ limit = 50, cursor }: ListSessionsParams): Promise<ListSessionsResult> => {
    const all = this.listed();
    const after = cursor === undefined ? undefined : (JSON.parse(cursor) as SessionSummary);
    const rest = after ? all.filter((summary) => newerFirst(after, summary) < 0) : all;
    if (this.failsOnce) {
      this.failsOnce = false;
      throw new Error('the database is away');
    }
    await this.gate;
    const items = rest.slice(0, limit);
    const last = rest.length > limit ? JSON.stringify(items.at(-1)) : undefined;
    return { items, total: all.length, ...(last !== undefined && { nextCursor: last }) };
  };

  make(modifiedAt = ++this.#clock): SessionSummary {
    const summary: SessionSummary = {
      resource: `mock:/${String((this.#made++ * 7_919) % 10_007)}`,
      provider: 'mock',
      title: '',
      createdAt: 1,
      modifiedAt,
      status: 'idle',
      isRead: true,
      isArchived: false,
    };
    this.sessions.set(summary.resource, summary);
    return summary;
  }

  change(summary: SessionSummary, changes: Partial<SessionSummary>): SessionSummary {
    const changed = { ...summary, ...changes };
    this.sessions.set(changed.resource, changed);
    return changed;
  }

  now(): number {
    return ++this.#clock;
  }
}

/** A client that does what NTF3 says, and no more. */
class Watcher {
  readonly limit: number;
  known = new Map<string, SessionSummary>();
  readonly heard: Notification[] = [];
  readonly subscribed = new Set<string>();
  readonly connection: ClientConnection;

  constructor(limit: number, number: number) {
    this.limit = limit;
    this.connection = {
      number,
      watchLimit: limit,
      protocolVersion: 1,
      role: 'owner',
      space: 'a',
      credentialId: 'owner',
      subscriptions: this.subscribed,
      deliver: (frames: readonly EncodedFrame[]) => {
        for (const frame of frames) {
          const { params } = JSON.parse(frame.text) as { params: { notification: Notification } };
          this.take(params.notification);
        }
      },
    } as unknown as ClientConnection;
  }

  take(notification: Notification): void {
    this.heard.push(notification);
    if (notification.type === 'notify/sessionAdded') {
      this.known.set(notification.summary.resource, notification.summary);
    } else if (notification.type === 'notify/sessionRemoved') this.known.delete(notification.session);
    else if (notification.type === 'notify/sessionSummaryChanged') {
      const known = this.known.get(notification.session);
      if (known) this.known.set(notification.session, withSummaryChanges(known, notification.changes));
    }
    this.keep([...this.known.values()]);
  }

  keep(summaries: readonly SessionSummary[]): void {
    const newest = [...summaries].sort(newerFirst);
    this.known = new Map(newest.slice(0, this.limit).map((summary) => [summary.resource, summary]));
  }

  get list(): SessionSummary[] {
    return [...this.known.values()];
  }
}

let [world, delivery]: [World, Delivery] = [new World(), new Delivery()];
let registry: ClientRegistry;
let watchers: Watcher[];

beforeEach(() => begin());
afterEach(() => {
  for (const watcher of watchers) leave(watcher);
  vi.useRealTimers();
});

function begin(): void {
  world = new World();
  delivery = new Delivery();
  registry = new ClientRegistry({ delivery, list: world.list, log: silentLog });
  watchers = [];
}

function join(limit: number): Watcher {
  const watcher = new Watcher(limit, registry.nextNumber());
  watchers.push(watcher);
  registry.admit(`c${watchers.length}`, watcher.connection, 1);
  watcher.keep(world.listed());
  return watcher;
}

function leave(watcher: Watcher): void {
  registry.remove(`c${watchers.indexOf(watcher) + 1}`, watcher.connection);
}

/** The lists that the registry reads are read: each page takes a turn of the event loop at the most. */
async function settled(): Promise<void> {
  for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
  await delivery.drained();
}

const IN_A = { space: 'a' };
const added = (summary: SessionSummary) => registry.broadcast({ type: 'notify/sessionAdded', summary }, IN_A);
const removed = ({ resource }: SessionSummary) => {
  world.sessions.delete(resource);
  registry.broadcast({ type: 'notify/sessionRemoved', session: resource }, IN_A);
};
const changed = (summary: SessionSummary, changes: Partial<SessionSummary>, isWhole = true) => {
  const after = world.change(summary, changes);
  const options = isWhole ? { ...IN_A, summary: after } : IN_A;
  const { resource: session } = summary;
  registry.broadcast({ type: 'notify/sessionSummaryChanged', session, changes }, options);
};

function expectRight(): void {
  for (const watcher of watchers) {
    expect(watcher.list, `newest ${watcher.limit}`).toEqual(world.listed().slice(0, watcher.limit));
  }
}

describe('clients that watch the newest sessions', () => {
  it('[NTF2] are told of those, of what they subscribed to, and of nothing else', async () => {
    const old = world.make();
    const subscribed = world.make();
    const newest = [world.make(), world.make(), world.make()];
    const watcher = join(3);
    watcher.subscribed.add(subscribed.resource);
    await settled();
    changed(old, { activity: 'unheard' });
    changed(subscribed, { activity: 'subscribed' });
    changed(newest[1] as SessionSummary, { activity: 'watched' });
    await settled();
    expect(watcher.heard).toMatchObject([
      { changes: { activity: 'subscribed' } },
      { changes: { activity: 'watched' } },
    ]);
  });

  it('[NTF2] are told of a session as added when it comes among them, and of one that takes the place of a removed one', async () => {
    const [first, second, third] = [world.make(), world.make(), world.make()];
    const watcher = join(2);
    await settled();
    changed(first, { modifiedAt: world.now() });
    await settled();
    expect(watcher.heard).toMatchObject([{ type: 'notify/sessionAdded', summary: { resource: first.resource } }]);
    removed(third);
    await settled();
    expect(watcher.heard.slice(1)).toMatchObject([
      { type: 'notify/sessionRemoved', session: third.resource },
      { type: 'notify/sessionAdded', summary: { resource: second.resource } },
    ]);
  });

  it('[NTF2] are told of all sessions, whole, until the host knows which are the newest', async () => {
    const all = [world.make(), world.make(), world.make()];
    const { promise, resolve } = Promise.withResolvers<void>();
    world.gate = promise;
    const watcher = join(1);
    changed(all[0] as SessionSummary, { modifiedAt: world.now() });
    changed(all[1] as SessionSummary, { title: 'told although it is old' });
    await settled();
    expect(watcher.heard.map(({ type }) => type)).toEqual(['notify/sessionAdded', 'notify/sessionAdded']);
    expectRight();
    resolve();
    await settled();
    const heard = watcher.heard.length;
    changed(all[1] as SessionSummary, { title: 'not told any more' });
    await settled();
    expect(watcher.heard).toHaveLength(heard);
  });

  it('[NTF2] are told of all while the list fails, and the list is tried again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const [old] = [world.make(), world.make()];
    world.failsOnce = true;
    const watcher = join(1);
    await settled();
    changed(old as SessionSummary, { title: 'told' });
    await settled();
    expect(watcher.heard).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    await settled();
    const heard = watcher.heard.length;
    changed(old as SessionSummary, { title: 'not told' });
    await settled();
    expect(watcher.heard).toHaveLength(heard);
  });

  it('[NTF2] get what an older host has told in part', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    // More than are kept: the old one is not known.
    const old = world.make(1);
    for (let n = 0; n < 700; n++) world.make();
    join(2);
    await settled();
    vi.advanceTimersByTime(1_000);
    await settled();
    changed(old, { modifiedAt: world.now() }, false);
    await settled();
    vi.advanceTimersByTime(1_000);
    await settled();
    expectRight();
  });

  it('are told of each session once when the host begins to know the newest, however many windows there are', async () => {
    for (let n = 0; n < 600; n++) world.make();
    const { promise, resolve } = Promise.withResolvers<void>();
    world.gate = promise;
    for (let limit = 1; limit <= 90; limit++) join(limit * 5);
    removed(world.listed()[3] as SessionSummary);
    await settled();
    const enqueued = vi.spyOn(delivery, 'enqueue');
    resolve();
    await settled();
    expectRight();
    expect(enqueued.mock.calls.length).toBeLessThanOrEqual(450);
  });

  it('[NTF3] have the list of the host after more were removed than it keeps in reserve', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    for (let n = 0; n < 900; n++) world.make();
    join(500);
    await settled();
    vi.advanceTimersByTime(1_000);
    await settled();
    const oldest = world.listed().at(-1) as SessionSummary;
    for (const one of world.listed().slice(0, 50)) removed(one);
    // Far behind the newest, although there is room where the removed ones were.
    changed(oldest, { title: 'still the oldest' });
    for (const count of [51, 200]) {
      for (const one of world.listed().slice(0, count)) removed(one);
      await settled();
      expectRight();
    }
  });

  it('[NTF2] go on to hear when all sessions change, the oldest first', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    for (let n = 0; n < 900; n++) world.make();
    const watcher = join(500);
    await settled();
    vi.advanceTimersByTime(1_000);
    await settled();
    for (const isRead of [false, true, false]) {
      watcher.heard.length = 0;
      for (const one of world.listed().toReversed()) changed(one, { isRead });
      await settled();
      expectRight();
      expect(watcher.heard).toHaveLength(500);
    }
    // As many of the newest become old as it keeps in reserve, and more.
    for (const one of world.listed().slice(0, 150)) changed(one, { modifiedAt: 1 });
    await settled();
    expectRight();
  });

  it('[NTF3] have the list of the host after any sequence of changes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const step = fc.record({
      kind: fc.constantFrom('make', 'makeOld', 'news', 'news', 'title', 'back', 'remove', 'remove', 'join', 'settle'),
      at: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 120 }),
        fc.constantFrom(0, 5, 480, 620),
        fc.boolean(),
        async (steps, sessions, isEarly) => {
          begin();
          for (let n = 0; n < sessions; n++) world.make();
          for (const limit of [1, 3, 500]) join(limit);
          const secondLook = async () => {
            await settled();
            vi.advanceTimersByTime(1_000);
            await settled();
          };
          // Later it can't repair anything.
          if (!isEarly) await secondLook();
          for (const { kind, at } of steps) {
            const listed = world.listed();
            const session = listed[at % (listed.length || 1)];
            if (kind === 'make') added(world.make());
            else if (kind === 'makeOld') added(world.make(at % 1_000_000));
            else if (kind === 'join' && watchers.length < 8) join(1 + (at % 60));
            else if (kind === 'settle') await settled();
            else if (!session) continue;
            else if (kind === 'news') changed(session, { modifiedAt: world.now() });
            else if (kind === 'title') changed(session, { title: `title ${at}` });
            else if (kind === 'back') changed(session, { modifiedAt: at % 1_000_000 });
            else if (kind === 'remove') for (const one of listed.slice(at % 5, (at % 5) + (at % 40))) removed(one);
          }
          await (isEarly ? secondLook() : settled());
          expectRight();
          for (const watcher of watchers) leave(watcher);
        },
      ),
      { numRuns: 60 },
    );
  });
});
