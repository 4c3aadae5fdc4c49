import { Readable } from 'node:stream';
import { type SessionAction, sessionReducer } from '@agenthost/protocol';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { history } from '../../../../protocol/test/reducers/arbitraryActions.js';
import { readTurnsByFold } from '../../../src/sessions/history/readTurns.js';
import { copyLog, findForkPoint } from '../../../src/sessions/transfer/forkLog.js';
import type { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import type { SessionFs } from '../../../src/storage/fs/sessionFs.js';
import { JsonlEventLog } from '../../../src/storage/log/jsonlEventLog.js';
import { FaultySessionFs } from '../../storage/faultySessionFs.js';
import {
  at,
  bytesOf,
  comparable,
  copyOf,
  foldOf,
  HistoryWorld,
  type OpenedSession,
  openHistory,
  RangedMemoryFs,
  recordsOf,
  SESSION,
  upTo,
} from './historyWorld.js';

const CLIENTS_MAY = new Set([
  'session/turnStarted',
  'session/titleChanged',
  'session/turnCancelled',
  'session/pendingMessageSet',
  'session/pendingMessageRemoved',
]);

/** Every turn has an id of its own, as with real clients; what is for the running turn goes to it under any name. */
class TurnIds {
  #count = 0;
  readonly #current = new Map<string, string>();

  give(action: SessionAction, running: string | undefined): SessionAction {
    if (!('turnId' in action)) return action;
    const { turnId } = action;
    if (action.type === 'session/turnStarted') {
      const own = `${turnId}.${++this.#count}`;
      if (running === undefined) this.#current.set(turnId, own);
      return { ...action, turnId: own };
    }
    return { ...action, turnId: this.#current.get(turnId) ?? turnId };
  }
}

const END = { type: 'session/turnComplete', session: SESSION, at: 3, turnId: 't1' } as const;
const SHORT_TURN: readonly SessionAction[] = [
  { type: 'session/turnStarted', session: SESSION, at: 2, turnId: 't1', userMessage: { text: 'short' } },
  END,
];

const step = fc.oneof(
  { weight: 8, arbitrary: fc.constant('told' as const) },
  { weight: 2, arbitrary: fc.constant('fault' as const) },
  { weight: 2, arbitrary: fc.constant('restart' as const) },
  { weight: 1, arbitrary: fc.constant('kill' as const) },
  { weight: 1, arbitrary: fc.constant('fork' as const) },
);

/** What was opened is what the log alone says; and each page of older turns as well. */
async function isWhatTheLogSays(fs: SessionFs, opened: OpenedSession, window: number): Promise<void> {
  const bytes = await bytesOf(fs, 'events.jsonl');
  const expected = await foldOf(bytes, window);
  expect(comparable(opened.folded)).toEqual(expected && comparable(expected));
  expect(opened.reports.flatMap(({ broken }) => broken)).toEqual([]);
  const earlier = opened.folded.state.earlierTurns ?? 0;
  const turns = (await foldOf(bytes, 1_000))?.state.turns ?? [];
  for (let page = await opened.history.readTurns({ ordinal: earlier }, upTo(2), earlier); page; ) {
    const end = turns.findIndex(({ id }) => id === page?.turns.at(-1)?.id) + 1;
    expect(page.turns).toEqual(turns.slice(Math.max(0, end - 2), end));
    const [first] = page.turns;
    if (!page.hasMore || !first) break;
    const next = await opened.history.readTurns({ turnId: first.id }, upTo(2), earlier);
    expect(next).toEqual(await readTurnsByFold(opened.log, { turnId: first.id }, upTo(2)));
    page = next;
  }
}

async function forked(fs: SessionFs, limits: object): Promise<void> {
  const records = await recordsOf(await bytesOf(fs, 'events.jsonl'));
  const source = { uri: 'mock:/s1', sessionId: 's1', statePath: '/s1' };
  const target = { source, session: 'mock:/s2', sessionId: 's2', statePath: '/s2', createdAt: 5 };
  const point = await findForkPoint(Readable.from(records), undefined);
  if (!point) return;
  const forkFs = new RangedMemoryFs();
  const log = await JsonlEventLog.open({ fs: forkFs, isDraft: true });
  await copyLog(Readable.from(records), log, point, target);
  await log.close();
  for (let opening = 0; opening < 2; opening++) {
    const opened = await openHistory(forkFs, { limits });
    if (!opened) throw new Error('the fork is gone');
    await isWhatTheLogSays(forkFs, opened, (limits as { window: number }).window);
    await opened.history.settled();
  }
}

it('snapshot and tail equal the whole log, at any interval, after any restarts, rollbacks and forks', async () => {
  let snapshots = 0;
  let pages = 0;
  let rollbacks = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(history, { minLength: 1, maxLength: 5 }),
      fc.infiniteStream(step),
      fc.record({
        minSnapshotBytes: fc.constantFrom(1, 500, 2_000, 10_000),
        pageTurns: fc.integer({ min: 1, max: 4 }),
        window: fc.integer({ min: 1, max: 5 }),
        maxSnapshotBytes: fc.constantFrom(1_500, 4_000, 100_000),
      }),
      fc.boolean(),
      async (histories, steps, limits, isRanged) => {
        let memory: MemorySessionFs = new RangedMemoryFs();
        const disk = (): SessionFs => (isRanged ? memory : new FaultySessionFs(memory));
        let fs = disk();
        let world = await HistoryWorld.create(fs, { limits });
        const ids = new TurnIds();
        let sinceStep = 0;
        const actions = histories.flatMap((some) => [...some, END, ...SHORT_TURN, ...SHORT_TURN, ...SHORT_TURN]);
        for (const template of actions) {
          const action = ids.give(template, world.state.activeTurn?.id);
          // The host refuses a turn that can't start, so that no log has one.
          const isRefused =
            action.type === 'session/turnStarted' && sessionReducer(world.state, action) === world.state;
          if (isRefused) continue;
          world.act(
            action,
            CLIENTS_MAY.has(action.type) && action.at % 2 === 0 ? `client ${action.at % 3}` : undefined,
          );
          if (++sinceStep < 3) continue;
          sinceStep = 0;
          const name = steps.next().value;
          if (name === 'fault' && fs instanceof FaultySessionFs) {
            const before = world.state;
            fs.faultAt = (_, { operation, path }) =>
              operation === 'appendFile' && path.endsWith('events.jsonl') ? { code: 'EIO', written: 0.5 } : undefined;
            await world.told();
            fs.faultAt = () => undefined;
            if (world.state !== before) rollbacks++;
          } else if (name === 'restart') await isWhatTheLogSays(fs, await world.restart(), limits.window);
          else if (name === 'kill') {
            // In the middle of whatever it writes: what is on the disk now is all that is left.
            memory = await copyOf(memory);
            fs = disk();
            world = await HistoryWorld.open(fs, { limits });
            await isWhatTheLogSays(fs, await world.restart(), limits.window);
          } else if (name === 'fork') {
            await world.told();
            await world.log.flush();
            await forked(fs, limits);
          } else await world.told();
        }
        await isWhatTheLogSays(fs, await world.restart(), limits.window);
        await isWhatTheLogSays(fs, await world.restart(), limits.window);
        if (await memory.exists(at(memory, 'events.checkpoint.json'))) snapshots++;
        if (await memory.exists(at(memory, 'events.turns.jsonl'))) pages++;
      },
    ),
    { numRuns: 400 },
  );
  expect(Math.min(snapshots, pages)).toBeGreaterThan(100);
  expect(rollbacks).toBeGreaterThan(20);
}, 600_000);
