import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { Outbox, type OutboxEntry } from '../../packages/client/src/sync/outbox.js';
import { Subscription } from '../../packages/client/src/sync/subscription.js';
import { WriteAhead } from '../../packages/client/src/sync/writeAhead.js';
import { AcceptedSequences } from '../../packages/host/src/sessions/turn/acceptedSequences.js';
import { Delivery } from '../../packages/host/src/state/delivery.js';
import { ReplayBuffer } from '../../packages/host/src/state/replayBuffer.js';
import { SequenceFile } from '../../packages/host/src/storage/stateRoot/sequenceFile.js';
import { isWhole } from '../faults/support/amount.js';
import { converges, TIMEOUT_MS, temporaryRoot } from './property.js';

const MAX_RUNS = 400;
const SEED = 7;

interface Mutant {
  readonly breakIt: () => void;
  /** How it has to show, so that nothing else can be taken for it. */
  readonly shows: RegExp;
}

/** Each breaks one promise on purpose. A suite that lets one of them pass proves nothing about the real thing. */
const mutants: Readonly<Record<string, Mutant>> = {
  '[ONCE1] a host that does not look at clientSeq': {
    breakIt: () => vi.spyOn(AcceptedSequences.prototype, 'highest').mockReturnValue(0),
    shows: /is in the log \d+ times/,
  },
  '[ONCE2] a client that forgets what is pending when it reconnects': {
    breakIt: () => {
      const { entries } = Outbox.prototype;
      vi.spyOn(Outbox.prototype, 'entries').mockImplementation(function (this: Outbox, session) {
        if (session !== undefined) return entries.call(this, session);
        for (const { clientSeq } of entries.call(this)) this.settle(clientSeq);
        return [];
      });
      const { endSync } = Subscription.prototype;
      vi.spyOn(Subscription.prototype, 'endSync').mockImplementation(function (this: Subscription<unknown, unknown>) {
        for (let clientSeq = 1; this.pendingCount > 0; clientSeq++) this.forget(clientSeq);
        endSync.call(this);
      });
    },
    shows: /accepted, but not in the log|on top of what the host said/,
  },
  '[ONCE1] a client that sends again under a new number': {
    breakIt: () => {
      const { entries } = Outbox.prototype;
      let fresh = 1_000_000;
      vi.spyOn(Outbox.prototype, 'entries').mockImplementation(function (this: Outbox, session) {
        const found = entries.call(this, session);
        return session === undefined ? found.map((entry): OutboxEntry => ({ ...entry, clientSeq: ++fresh })) : found;
      });
    },
    shows: /not settled|how often it is there|titles/,
  },
  '[WA2] a client that does not put its own actions on top of what others did': {
    breakIt: () => {
      type AnyWriteAhead = WriteAhead<unknown, unknown>;
      const { replaceConfirmed } = WriteAhead.prototype;
      const optimistic = Object.getOwnPropertyDescriptor(WriteAhead.prototype, 'optimistic')?.get;
      const stale = new WeakMap<AnyWriteAhead, unknown>();
      vi.spyOn(WriteAhead.prototype, 'replaceConfirmed').mockImplementation(function (this: AnyWriteAhead, next) {
        if (this.pending.length > 0 && !stale.has(this)) stale.set(this, optimistic?.call(this));
        replaceConfirmed.call(this, next);
      });
      vi.spyOn(WriteAhead.prototype, 'optimistic', 'get').mockImplementation(function (this: AnyWriteAhead) {
        if (this.pending.length === 0) stale.delete(this);
        return stale.get(this) ?? optimistic?.call(this);
      });
    },
    // The observer is broken as well: it may not see the turn that it has to cancel.
    shows: /on top of what the host said|not settled/,
  },
  'a host that tells before it has stored': {
    breakIt: () => vi.spyOn(Delivery.prototype, 'requireStored').mockImplementation(() => {}),
    shows: /accepted, but not in the log/,
  },
  '[ENV1] a host whose numbers begin again after a restart': {
    breakIt: () => {
      const open = SequenceFile.open.bind(SequenceFile);
      vi.spyOn(SequenceFile, 'open').mockImplementation(async (stateRoot, options) => {
        for (const name of ['sequence', 'sequence.copy']) rmSync(join(stateRoot, name), { force: true });
        return open(stateRoot, options);
      });
    },
    shows: /does not rise|an earlier host had said/,
  },
  'a replay that leaves one envelope out': {
    breakIt: () => {
      const { since } = ReplayBuffer.prototype;
      vi.spyOn(ReplayBuffer.prototype, 'since').mockImplementation(function (this: ReplayBuffer, serverSeq, resources) {
        return since.call(this, serverSeq, resources)?.slice(1);
      });
    },
    shows: /to deeply equal/,
  },
};

describe.runIf(isWhole)('the suite finds', () => {
  const root = temporaryRoot();
  afterAll(() => root.dispose());
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(Object.entries(mutants))('%s', { timeout: TIMEOUT_MS }, async (_, { breakIt, shows }) => {
    breakIt();
    const outcome = await fc.check(converges(root.path, { healMs: 1_000 }), {
      seed: SEED,
      numRuns: MAX_RUNS,
      endOnFailure: true,
    });
    expect(String(outcome.errorInstance)).toMatch(shows);
  });
});
