import { createSessionState, type SessionAction, type SessionState, sessionReducer } from '@agenthost/protocol';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/holds.js';
import { type OrderedAction, WriteAhead } from '../src/sync/writeAhead.js';

const SESSION = 'shell:/one';
const initial: SessionState = {
  ...createSessionState({ resource: SESSION, provider: 'shell', createdAt: 1 }),
  lifecycle: 'ready',
};
const mine = (clientSeq: number) => ({ clientId: 'me', clientSeq });
const titled = (title: string): SessionAction => ({ type: 'session/titleChanged', session: SESSION, at: 2, title });
const started = (turnId: string): SessionAction => ({
  type: 'session/turnStarted',
  session: SESSION,
  at: 3,
  turnId,
  userMessage: { text: turnId },
});
const queued = (id: string): SessionAction => ({
  type: 'session/pendingMessageSet',
  session: SESSION,
  at: 4,
  kind: 'queued',
  id,
  userMessage: { text: id },
});

function create() {
  return new WriteAhead<SessionState, SessionAction>({ clientId: 'me', reducer: sessionReducer, confirmed: initial });
}

describe('writeAhead', () => {
  it('[WA1] applies an own action at once, and leaves the confirmed state unchanged', () => {
    const ahead = create();
    ahead.predict(1, titled('mine'));
    expect([ahead.optimistic.summary.title, ahead.confirmed]).toEqual(['mine', initial]);
  });

  it('[WA2] removes an echoed action from pending and applies the host’s version of it', () => {
    const ahead = create();
    ahead.predict(1, started('a'));
    const settled = ahead.receive({ action: { ...started('a'), at: 77 }, origin: mine(1) });
    expect([settled, ahead.pending, ahead.confirmed.activeTurn?.startedAt]).toEqual([1, [], 77]);
  });

  it('[WA2] applies a foreign action to the confirmed state, and the pending ones on top of it', () => {
    const ahead = create();
    ahead.predict(1, titled('mine'));
    ahead.receive({ action: titled('theirs'), origin: { clientId: 'they', clientSeq: 1 } });
    ahead.receive({ action: queued('q'), origin: undefined });
    expect(ahead.confirmed.summary.title).toBe('theirs');
    expect([ahead.optimistic.summary.title, ahead.optimistic.queuedMessages?.length]).toEqual(['mine', 1]);
  });

  it('[WA2] finds its echo when it is not the head', () => {
    const ahead = create();
    ahead.predict(1, titled('first'));
    ahead.predict(2, queued('q'));
    ahead.receive({ action: queued('q'), origin: mine(2) });
    expect(ahead.pending.map(({ clientSeq }) => clientSeq)).toEqual([1]);
    expect([ahead.confirmed.summary.title, ahead.optimistic.summary.title]).toEqual(['', 'first']);
    ahead.receive({ action: titled('first'), origin: mine(1) });
    expect(ahead.optimistic).toBe(ahead.confirmed);
  });

  it('[WA2] treats the same number of another client as foreign', () => {
    const ahead = create();
    ahead.predict(1, titled('mine'));
    expect(ahead.receive({ action: titled('theirs'), origin: { clientId: 'they', clientSeq: 1 } })).toBeUndefined();
    expect(ahead.pending).toHaveLength(1);
  });

  it('[WA2] applies an own echo that is no longer pending', () => {
    const ahead = create();
    ahead.receive({ action: titled('of an earlier page'), origin: mine(9) });
    expect(ahead.confirmed.summary.title).toBe('of an earlier page');
  });

  it('[WA3] a rejected action leaves no trace', () => {
    const ahead = create();
    ahead.predict(1, started('a'));
    ahead.receive({ action: started('a'), origin: mine(1), rejectionReason: 'no' });
    expect(ahead.optimistic).toBe(initial);
  });

  it('[WA4] both states are the same object without pending actions', () => {
    const ahead = create();
    expect(ahead.optimistic).toBe(ahead.confirmed);
    ahead.predict(1, titled('mine'));
    expect(ahead.optimistic).not.toBe(ahead.confirmed);
    ahead.receive({ action: titled('mine'), origin: mine(1) });
    expect(ahead.optimistic).toBe(ahead.confirmed);
  });

  it('computes the optimistic state once', () => {
    const ahead = create();
    ahead.predict(1, titled('mine'));
    ahead.replaceConfirmed({ ...initial });
    expect(ahead.optimistic).toBe(ahead.optimistic);
    const before = ahead.optimistic;
    ahead.receive({ action: titled(''), origin: undefined });
    expect(ahead.optimistic).toBe(before);
  });

  const action = fc.oneof(
    fc.string().map(titled),
    fc.constantFrom('a', 'b', 'c').map(started),
    fc.constantFrom('q', 'r', 's').map(queued),
    fc
      .constantFrom('a', 'b', 'c')
      .map((turnId): SessionAction => ({ type: 'session/turnCancelled', session: SESSION, at: 5, turnId })),
    fc
      .constantFrom('q', 'r', 's')
      .map(
        (id): SessionAction => ({ type: 'session/pendingMessageRemoved', session: SESSION, at: 6, kind: 'queued', id }),
      ),
  );
  const step = fc.oneof(
    fc.record({ kind: fc.constant('dispatch' as const), action }),
    fc.record({ kind: fc.constant('foreign' as const), action }),
    fc.record({ kind: fc.constant('answer' as const), accept: fc.boolean(), which: fc.nat(), late: fc.boolean() }),
  );

  it('[WA1] [WA2] [WA3] [WA4] converges to the host’s state under every interleaving', () => {
    holds(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const ahead = create();
        const atHost: { clientSeq: number; action: SessionAction }[] = [];
        let host = initial;
        let clientSeq = 0;
        const deliver = (ordered: OrderedAction<SessionAction>) => {
          if (ordered.rejectionReason === undefined) host = sessionReducer(host, ordered.action);
          ahead.receive(ordered);
          expect(ahead.confirmed).toEqual(host);
          const rebased = atHost.reduce((state, own) => sessionReducer(state, own.action), host);
          expect(ahead.optimistic).toEqual(rebased);
        };
        // `which` answers one in the middle: an earlier one may be answered later, or be lost and answered never.
        const answer = (accept: boolean, which: number) => {
          const [own] = atHost.splice(atHost.length > 0 ? which % atHost.length : 0, 1);
          if (!own) return;
          const rejection = accept ? {} : { rejectionReason: 'no' };
          deliver({ action: { ...own.action, at: 99 }, origin: mine(own.clientSeq), ...rejection });
        };
        for (const each of steps) {
          if (each.kind === 'dispatch') {
            const before = ahead.optimistic;
            ahead.predict(++clientSeq, each.action);
            atHost.push({ clientSeq, action: each.action });
            expect(ahead.optimistic).toEqual(sessionReducer(before, each.action));
          } else if (each.kind === 'foreign') deliver({ action: each.action, origin: undefined });
          else answer(each.accept, each.late ? each.which : 0);
        }
        while (atHost.length > 0) answer(true, 0);
        expect(ahead.pending).toEqual([]);
        expect(ahead.confirmed).toEqual(host);
        expect(ahead.optimistic).toBe(ahead.confirmed);
      }),
      { numRuns: 1_000 },
    );
  });
});
