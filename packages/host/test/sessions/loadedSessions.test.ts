import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/hostLog.js';
import { LoadedSessions } from '../../src/sessions/loadedSessions.js';
import type { Session } from '../../src/sessions/session.js';
import { MAX_LOADS, RECENT_MS } from '../../src/sessions/sessionLimits.js';

const MIB = 1024 * 1024;

/** As much of a session as is asked for here. */
interface Loaded {
  readonly uri: string;
  bytes: number;
  lastUsed: number;
  isUsed: boolean;
  /** What is left of it when it shrinks. */
  least: number;
}

function world(maxBytes = 40 * MIB, idleMs = 100_000_000) {
  const sessions = new Map<string, Session>();
  const evicted: string[] = [];
  const loaded = new LoadedSessions({
    sessions,
    maxSessionBytes: maxBytes,
    idleMs,
    log: silentLog,
    evict: async (uri) => {
      sessions.delete(uri);
      evicted.push(uri);
    },
  });
  const add = (
    uri: string,
    { bytes = 5 * MIB, lastUsed = -1_000_000, isUsed = false, least = 5 * MIB } = {},
  ): Loaded => {
    const session = {
      uri,
      bytes,
      lastUsed,
      isUsed,
      least,
      shrink: () => {
        session.bytes = Math.min(session.bytes, least);
      },
      isIdleSince: (time: number) => !session.isUsed && session.lastUsed <= time,
    };
    sessions.set(uri, session as unknown as Session);
    return session;
  };
  const load = (uri: string, options = {}) => loaded.load(async () => add(uri, options));
  return { sessions, evicted, loaded, add, load };
}

describe('loaded sessions', () => {
  it('are unloaded to make room, the least recently used first', async () => {
    const { add, load, evicted } = world();
    for (let n = 0; n < 8; n++) add(`s${n}`, { lastUsed: -1_000_000 + n });
    add('s3', { lastUsed: -2_000_000 });
    await load('new');
    expect(evicted).toEqual(['s3']);
    await load('newer');
    expect(evicted).toEqual(['s3', 's0']);
  });

  it('stay while they are used, or about to be', async () => {
    const { add, load, loaded, evicted } = world();
    for (let n = 0; n < 8; n++) add(`s${n}`, { lastUsed: -1_000_000 + n, isUsed: n < 3 });
    const letGo = loaded.hold('s3');
    await load('new', { lastUsed: -1_000 });
    expect(evicted).toEqual(['s4']);
    letGo();
    letGo();
    await load('newer');
    expect(evicted).toEqual(['s4', 's3']);
  });

  it.each([false, true])('stay while they are held, even after a long idle time (may move: %s)', async (mayMove) => {
    const { add, loaded, evicted } = world(40 * MIB, 1_000);
    for (const uri of ['held', 'idle']) add(uri, { lastUsed: performance.now() - 2_000 });
    const letGo = loaded.hold('held', mayMove);
    expect(loaded.isHeld('held')).toBe(!mayMove);
    await loaded.sweep();
    expect(evicted).toEqual(['idle']);
    letGo();
    await loaded.sweep();
    expect(evicted).toEqual(['idle', 'held']);
    loaded.dispose();
  });

  it('refuse another one when none can be unloaded, and say so', async () => {
    const { add, load, evicted } = world();
    for (let n = 0; n < 8; n++) add(`s${n}`, { isUsed: true });
    await expect(load('new')).rejects.toThrow(
      'the sessions in memory take all of the 40 MiB that they may, and each of them is in use',
    );
    expect(evicted).toEqual([]);
  });

  it('keep fewer turns in use before they refuse', async () => {
    const { add, load, sessions, evicted } = world();
    const used = Array.from({ length: 8 }, (_, n) => add(`s${n}`, { isUsed: true, least: MIB }));
    const idle = add('idle', { least: MIB });
    await load('new');
    expect(evicted).toEqual(['idle']);
    expect(used.map(({ bytes }) => bytes / MIB)).toEqual(Array(8).fill(1));
    expect(idle.bytes).toBe(5 * MIB);
    expect(sessions.size).toBe(9);
  });

  it('wait for one that was used a moment ago, instead of unloading it', async () => {
    const { add, load, evicted } = world();
    for (let n = 0; n < 7; n++) add(`s${n}`, { isUsed: true });
    const usedAt = performance.now();
    add('recent', { lastUsed: usedAt });
    await load('new');
    expect(evicted).toEqual(['recent']);
    expect(performance.now() - usedAt).toBeGreaterThanOrEqual(RECENT_MS - 1);
  });

  it('accept a single one of any size', async () => {
    const { load, sessions } = world(1);
    await load('alone', { bytes: 100 * MIB });
    expect([...sessions.keys()]).toEqual(['alone']);
  });

  it('are loaded a few at a time, and count before they are loaded', async () => {
    const { loaded, add, evicted } = world();
    for (let n = 0; n < 7; n++) add(`s${n}`);
    let running = 0;
    let most = 0;
    const { promise: go, resolve } = Promise.withResolvers<void>();
    const loads = Array.from({ length: 12 }, () =>
      loaded.load(async () => {
        most = Math.max(most, ++running);
        await go;
        running--;
      }),
    );
    await new Promise(setImmediate);
    resolve();
    await Promise.all(loads);
    expect(most).toBe(MAX_LOADS);
    // Four that are on their way count as much as one of these.
    expect(evicted.length).toBeGreaterThan(0);
  });

  it('that have grown are unloaded at the next check', async () => {
    const { add, loaded, evicted } = world();
    const used = add('used', { isUsed: true });
    for (let n = 0; n < 4; n++) add(`s${n}`, { lastUsed: n });
    await loaded.sweep();
    expect(evicted).toEqual([]);
    used.bytes = 29 * MIB;
    await loaded.sweep();
    expect(evicted).toEqual(['s0', 's1']);
  });
});
