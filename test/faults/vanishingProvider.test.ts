import type { CreateSessionFsHandler, HostClient, SessionHandle } from '@agenthost/client';
import type { SessionState } from '@agenthost/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Delivery } from '../../packages/host/src/state/delivery.js';
import { MemorySessionFs } from '../../packages/host/src/storage/fs/memorySessionFs.js';
import { FaultySessionFs } from '../../packages/host/test/storage/faultySessionFs.js';
import { memoryHandler } from '../support/storage/memoryProvider.js';
import { startTestHost } from '../support/testHost.js';
import { until } from '../support/until.js';
import { amount, isWhole, LONG_MS, PATIENCE_MS } from './support/amount.js';
import { hasMessage } from './support/ledger.js';

const CONFIG = { initialCwd: '/tmp', sessionStatePath: '/state', conventions: 'posix' } as const;
const URI = 'mock:/kept';
/** In `npm test` a few moments, spread over the whole. */
const STEP = amount('every', { smoke: 4, full: 1 });

interface Fact {
  readonly what: string;
  readonly holds: (state: SessionState) => boolean;
}

/** The files of a client that is gone from the n-th operation on: that one and all that follow are never answered. */
class VanishingFiles {
  readonly #stored = new MemorySessionFs({ sessionStatePath: CONFIG.sessionStatePath });
  readonly #at: number;
  count = 0;
  onVanish: () => void = () => {};

  constructor(at: number) {
    this.#at = at;
  }

  readonly handler: CreateSessionFsHandler = () => {
    const files = memoryHandler(new FaultySessionFs(this.#stored));
    return new Proxy(files, {
      get: (target, name) => {
        const operation = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          if (++this.count < this.#at) return operation.apply(target, args);
          if (this.count === this.#at) this.onVanish();
          return new Promise(() => {});
        };
      },
    });
  };

  /** As they were when the client went. */
  get left(): CreateSessionFsHandler {
    return () => memoryHandler(this.#stored);
  }
}

/** A file provider disconnects at the n-th operation. What was reported as stored is in its files; the rest was refused. */
async function vanishAt(n: number): Promise<{ operations: number; accepted: number; refused: number }> {
  const files = new VanishingFiles(n);
  const accepted: Fact[] = [];
  const refused: Fact[] = [];
  let isMade = false;
  const host = await startTestHost();
  try {
    const keeper = await host.connect({ sessionFs: CONFIG, random: () => 0.01 });
    const other = await host.connect();
    files.onVanish = () => keeper.close();
    await keeper
      .createSession({ provider: 'mock', session: URI, createSessionFsHandler: files.handler })
      .then((session) => session.ready())
      .then(
        () => {
          isMade = true;
        },
        () => {},
      );
    const session = isMade ? await other.openSession(URI).catch(() => undefined) : undefined;
    if (session) await live(session, accepted, refused);
    await other.ping();
    // All clients see the same: refused changes are not visible.
    if (session) checkFacts(session.confirmed.value, [], refused);
  } finally {
    await host.dispose();
  }
  const next = await startTestHost();
  try {
    const keeper = await next.connect({ sessionFs: CONFIG });
    const found = await reopened(keeper, files.left, isMade);
    if (found) {
      checkFacts(found.confirmed.value, accepted, refused);
      await found.send('hello');
      await until(found.confirmed, ({ activeTurn }) => !activeTurn, 'a turn after it', PATIENCE_MS);
    }
    return { operations: files.count, accepted: accepted.length, refused: refused.length };
  } finally {
    await next.dispose();
  }
}

/** The life of a session, driven by another client; each step records its answer. */
async function live(session: SessionHandle, accepted: Fact[], refused: Fact[]): Promise<void> {
  const attempt = async (what: string, act: () => Promise<unknown>, holds: Fact['holds']) => {
    const isDone = await act().then(
      () => true,
      (error: unknown) => {
        expect(String(error), what).toMatch(/could not be stored|file system|is gone|no session/);
        return false;
      },
    );
    (isDone ? accepted : refused).push({ what, holds });
  };
  for (let n = 0; n < 4; n++) {
    await attempt(
      `title ${n}`,
      () => session.rename(`title ${n}`),
      ({ summary }) => hadTitle(summary.title, n),
    );
    await attempt(`message ${n}`, () => session.send('hello', `turn-${n}`), hasMessage(`turn-${n}`));
    // A turn that was accepted ends, whatever becomes of its files.
    await until(session.confirmed, ({ activeTurn }) => !activeTurn, 'the end of the turn', PATIENCE_MS);
  }
}

/** A later one may have come on top. */
function hadTitle(title: string, n: number): boolean {
  return Number(/^title (\d)$/.exec(title)?.[1] ?? -1) >= n;
}

function checkFacts(state: SessionState, accepted: readonly Fact[], refused: readonly Fact[]): void {
  const wrong = (facts: readonly Fact[], wanted: boolean) =>
    facts.filter(({ holds }) => holds(state) !== wanted).map(({ what }) => what);
  expect({ lost: wrong(accepted, true), unasked: wrong(refused, false) }).toEqual({ lost: [], unasked: [] });
}

async function reopened(
  keeper: HostClient,
  createSessionFsHandler: CreateSessionFsHandler,
  mustBe: boolean,
): Promise<SessionHandle | undefined> {
  return keeper.openSession(URI, { createSessionFsHandler }).catch((error: unknown) => {
    if (mustBe) throw new Error(`lost: the session itself: ${String(error)}`);
    return undefined;
  });
}

describe('a file provider that disconnects at any moment', { timeout: LONG_MS }, () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('loses nothing that was reported as stored', async () => {
    const { operations } = await vanishAt(Number.POSITIVE_INFINITY);
    let [runs, accepted, refused] = [0, 0, 0];
    for (let n = 1; n <= operations; n += STEP) {
      const one = await vanishAt(n);
      runs++;
      accepted += one.accepted;
      refused += one.refused;
    }
    console.info(
      `${operations} operations, ${runs} providers vanished, ${accepted} accepted, ${refused} refused, 0 lost`,
    );
    expect(Math.min(accepted, refused)).toBeGreaterThan(STEP === 1 ? runs / 2 : 0);
  });

  it.runIf(isWhole)('which a host that acknowledges before it has stored does not pass', async () => {
    vi.spyOn(Delivery.prototype, 'requireStored').mockImplementation(() => {});
    const all = async () => {
      for (let n = 1; n < 200; n++) await vanishAt(n);
    };
    await expect(all()).rejects.toThrow(/lost/);
  });
});
