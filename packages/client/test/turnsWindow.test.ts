import { createSessionState, type SessionState } from '@agenthost/protocol';
import { withNewestTurns } from '@agenthost/protocol/internal';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/holds.js';
import { joinSnapshot, prependTurns } from '../src/sync/turnsWindow.js';
import { endedTurns } from './support/fakeHost.js';

const empty = createSessionState({ resource: 'shell:/one', provider: 'shell', createdAt: 1 });
const whole = (count: number): SessionState => ({ ...empty, turns: endedTurns(count) });

describe('turnsWindow', () => {
  it('joins a snapshot without a gap, and keeps the turns that fit', () => {
    holds(
      fc.property(fc.nat(30), fc.nat(30), fc.nat(40), fc.nat(40), (count, more, held, sent) => {
        const before = withNewestTurns(whole(count), held);
        const now = whole(count + more);
        const joined = joinSnapshot(before, withNewestTurns(now, sent));
        expect(joined).toEqual(withNewestTurns(now, joined.turns.length));
        const touches = now.turns.length - sent <= count;
        const expected = touches && before.turns.length > 0 ? Math.max(held + more, sent) : sent;
        if (sent > 0) expect(joined.turns).toHaveLength(Math.min(expected, now.turns.length));
      }),
      { numRuns: 1_000 },
    );
  });

  it('does not trust turns that the host does not count', () => {
    const before = whole(5);
    const snapshot = { ...empty, turns: endedTurns(3, 4), earlierTurns: 2 };
    expect(joinSnapshot(before, snapshot)).toBe(snapshot);
  });

  it('prepends a page only where it belongs', () => {
    const state = withNewestTurns(whole(10), 4);
    const page = { turns: endedTurns(2, 4), hasMore: true };
    expect(prependTurns(state, 't6', page)).toEqual(withNewestTurns(whole(10), 6));
    expect(prependTurns(state, 't5', page)).toBe(state);
    expect(prependTurns(state, 't6', { turns: endedTurns(6), hasMore: false })).toEqual(whole(10));
    expect(prependTurns(state, 't6', { turns: [], hasMore: false }).earlierTurns).toBeUndefined();
  });
});
