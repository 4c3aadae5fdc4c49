import type { Notification } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/hostLog.js';
import { SqliteSessionIndex } from '../../../src/sessionIndex/sqliteSessionIndex.js';
import { IndexFiller } from '../../../src/sessions/indexing/indexFiller.js';
import type { SessionStorage } from '../../../src/storage/sessionStorage.js';
import { summary } from '../../sessionIndex/indexSamples.js';

const COUNT = 2_500;

describe('filling the index', () => {
  let index: SqliteSessionIndex;
  let taken: string[];
  let told: Notification[];
  let errors: string[];
  /** Resolves what each session waits for. */
  let gate: Promise<void>;

  beforeEach(() => {
    index = new SqliteSessionIndex(':memory:');
    taken = [];
    told = [];
    errors = [];
    gate = Promise.resolve();
  });
  afterEach(() => index.close());

  /** Later ones were changed later, but they are listed in no order. */
  const storage: SessionStorage = {
    open: async () => undefined,
    exists: async (id) => Number(id) < COUNT,
    remove: async () => {},
    modifiedAt: async (id) => Number(id),
    async *list() {
      for (let n = 0; n < COUNT; n++) yield String((n * 7) % COUNT);
    },
  };

  const fillerOf = () =>
    new IndexFiller({
      index,
      storage,
      log: { ...silentLog, error: (message) => void errors.push(message) },
      broadcast: (notification) => void told.push(notification),
      forget: async (uri) => index.remove(uri),
      indexSession: async (id) => {
        taken.push(id);
        await gate;
        if (id === '5') throw new Error('a bad sector');
        index.put(summary(id));
      },
    });

  it('reads the newest first, each once, skips unreadable ones, and reports its progress', async () => {
    const filler = fillerOf();
    filler.start({ changedSince: 0 });
    await filler.settled;
    expect(taken.slice(0, 1_000)).toEqual(Array.from({ length: 1_000 }, (_, n) => String(COUNT - 1 - n)));
    expect(taken.toSorted()).toEqual(Array.from({ length: COUNT }, (_, n) => String(n)).toSorted());
    expect(errors).toEqual(["session 5 can't be read"]);
    expect(index.list({}).total).toBe(COUNT - 1);
    expect(told.at(-1)).toEqual({
      type: 'notify/progress',
      token: 'sessionIndex',
      message: 'Indexing sessions',
      // Not how many there are: some may be in spaces of others.
      done: 100,
      total: 100,
    });
  });

  it('after a crash reads changed, unknown and unsettled sessions, and removes missing ones', async () => {
    for (let n = 0; n < COUNT; n++) if (n !== 7) index.put(summary(String(n)));
    index.put(summary('99999'));
    index.markFilled();
    index.expect('mock:/9');
    const filler = fillerOf();
    // With some slack for the times of files.
    filler.start({ changedSince: COUNT - 10 + 5_000 });
    await filler.settled;
    const changed = Array.from({ length: 10 }, (_, n) => String(COUNT - 1 - n));
    // In no exact order: texts of those that the index has are forgotten first.
    expect(taken.toSorted()).toEqual([...changed, '9', '7'].toSorted());
    expect(index.list({ filter: { modifiedSince: 0 } }).total).toBe(COUNT);
  });

  it('stops between two sessions, and starts over on request', async () => {
    const open = Promise.withResolvers<void>();
    gate = open.promise;
    const filler = fillerOf();
    filler.start({ changedSince: 0 });
    while (taken.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const before = taken.length;
    filler.start({ changedSince: 0 });
    open.resolve();
    await filler.settled;
    expect(taken.length).toBeGreaterThanOrEqual(COUNT + before);
    expect(taken.length).toBeLessThan(COUNT + before + 10);

    taken = [];
    const closed = Promise.withResolvers<void>();
    gate = closed.promise;
    filler.start({ changedSince: 0 });
    while (taken.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const stopped = filler.stop();
    closed.resolve();
    await stopped;
    expect(taken.length).toBeLessThan(10);
  });
});
