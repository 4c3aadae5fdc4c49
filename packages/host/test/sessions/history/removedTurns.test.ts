import { describe, expect, it } from 'vitest';
import { readTurnsPage } from '../../../src/sessions/history/readTurnsPage.js';
import { endedTurns } from '../../../src/sessions/history/turnIndex.js';
import { findForkPoint } from '../../../src/sessions/transfer/forkLog.js';
import { HistoryWorld, playTurn, RangedMemoryFs, SESSION } from './historyWorld.js';

const RUNS = 4;
const STEPS = 25;
const LIMITS = { window: 6, pageTurns: 3, minSnapshotBytes: 2_000, pageBytes: 4_000 };

/** The same numbers each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37) >>> 0;
    return ((state >>> 8) * below) >>> 24;
  };
}

/** All turns of the session, read in pages from the newest to the oldest, as clients do. */
async function everyTurn({ store, history }: HistoryWorld, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let before: string | undefined;
  for (let hasMore = true; hasMore; ) {
    const page = await readTurnsPage(store.state, history, { limit, ...(before !== undefined && { before }) });
    if (!page) throw new Error(`no turn ${before}`);
    ids.unshift(...page.turns.map(({ id }) => id));
    ({ hasMore } = page);
    if (page.turns.length === 0) expect(hasMore).toBe(false);
    before = page.turns[0]?.id;
  }
  return ids;
}

describe('[BACK3] removed turns', () => {
  it.each(Array.from({ length: RUNS }, (_, run) => run))(
    'are in no page, before and after a restart (%i)',
    async (run) => {
      const below = numbers(run);
      const world = await HistoryWorld.create(new RangedMemoryFs(), { limits: LIMITS });
      world.act({ type: 'session/ready', session: SESSION, at: 1 });
      let wanted: string[] = [];
      let last = 0;
      for (let step = 0; step < STEPS; step++) {
        const what = below(10);
        if (what < 6) {
          for (let more = below(9); more >= 0; more--) {
            playTurn(world, ++last);
            wanted.push(`t${last}`);
          }
          await world.told();
        } else if (what < 9) {
          // Mostly near the end, sometimes all of it.
          const kept = below(3) === 0 ? below(wanted.length + 1) : Math.max(0, wanted.length - below(8));
          const before = wanted[kept];
          const older = before && (await readTurnsPage(world.state, world.history, { before, limit: LIMITS.window }));
          world.act({ type: 'session/truncated', session: SESSION, at: last, turns: kept });
          if (older) world.store.fill(older.turns);
          wanted = wanted.slice(0, kept);
          await world.told();
        } else await world.restart();
        if (below(3) === 0) await world.history.settled();
        expect(endedTurns(world.state)).toBe(wanted.length);
        expect(await everyTurn(world, 1 + below(7)), `step ${step}`).toEqual(wanted);
      }
      const { folded } = await world.restart();
      expect(folded.state.turns.map(({ id }) => id)).toEqual(wanted.slice(-Math.max(folded.state.turns.length, 1)));
      expect(folded.state.turns.length).toBeGreaterThanOrEqual(Math.min(wanted.length, 1));
      expect(await everyTurn(world, 5)).toEqual(wanted);
      expect((await findForkPoint(world.log.load(), undefined))?.lastTurnId).toBe(wanted.at(-1));
      await world.log.close();
    },
  );
});
