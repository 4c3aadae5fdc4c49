import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { Outbox, type OutboxEntry } from '../../packages/client/src/outbox.js';
import { WriteAhead } from '../../packages/client/src/writeAhead.js';
import { SequenceFile } from '../../packages/host/src/sessionFs/sequenceFile.js';
import { AcceptedSequences } from '../../packages/host/src/sessions/acceptedSequences.js';
import { Delivery } from '../../packages/host/src/state/delivery.js';
import { ReplayBuffer } from '../../packages/host/src/state/replayBuffer.js';
import { converges, temporaryRoot } from './property.js';

const MAX_RUNS = 400;
const SEED = 12;

/** Each breaks one promise on purpose. A suite that lets one of them pass proves nothing about the real thing. */
const mutants: Readonly<Record<string, () => void>> = {
  '[ONCE1] a host that does not look at clientSeq': () => {
    vi.spyOn(AcceptedSequences.prototype, 'get').mockReturnValue(0);
  },
  '[ONCE2] a client that forgets what is pending when it reconnects': () => {
    const { entries } = Outbox.prototype;
    vi.spyOn(Outbox.prototype, 'entries').mockImplementation(function (this: Outbox, session) {
      if (session !== undefined) return entries.call(this, session);
      for (const { clientSeq } of entries.call(this)) this.settle(clientSeq);
      return [];
    });
  },
  '[ONCE1] a client that sends again under a new number': () => {
    const { entries } = Outbox.prototype;
    let fresh = 1_000_000;
    vi.spyOn(Outbox.prototype, 'entries').mockImplementation(function (this: Outbox, session) {
      const found = entries.call(this, session);
      return session === undefined ? found.map((entry): OutboxEntry => ({ ...entry, clientSeq: ++fresh })) : found;
    });
  },
  '[WA2] a client that does not put its own actions on top of what others did': () => {
    const { replaceConfirmed } = WriteAhead.prototype;
    const optimistic = Object.getOwnPropertyDescriptor(WriteAhead.prototype, 'optimistic')?.get;
    const stale = new WeakMap<object, unknown>();
    vi.spyOn(WriteAhead.prototype, 'replaceConfirmed').mockImplementation(function (
      this: WriteAhead<unknown, unknown>,
      next,
    ) {
      if (this.pending.length > 0 && !stale.has(this)) stale.set(this, optimistic?.call(this));
      replaceConfirmed.call(this, next);
    });
    vi.spyOn(WriteAhead.prototype, 'optimistic', 'get').mockImplementation(function (
      this: WriteAhead<unknown, unknown>,
    ) {
      if (this.pending.length === 0) stale.delete(this);
      return stale.get(this) ?? optimistic?.call(this);
    });
  },
  '[ENV1] a host that tells before it has stored': () => {
    vi.spyOn(Delivery.prototype, 'requireStored').mockImplementation(() => {});
  },
  '[ENV1] a host whose numbers begin again after a restart': () => {
    const open = SequenceFile.open.bind(SequenceFile);
    vi.spyOn(SequenceFile, 'open').mockImplementation(async (stateRoot, options) => {
      for (const name of ['sequence', 'sequence.copy']) rmSync(join(stateRoot, name), { force: true });
      return open(stateRoot, options);
    });
  },
  '[ENV1] a replay that leaves one envelope out': () => {
    const { since } = ReplayBuffer.prototype;
    vi.spyOn(ReplayBuffer.prototype, 'since').mockImplementation(function (this: ReplayBuffer, serverSeq, resources) {
      return since.call(this, serverSeq, resources)?.slice(1);
    });
  },
};

describe('the suite finds', () => {
  const root = temporaryRoot();
  afterAll(() => root.dispose());
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(Object.entries(mutants))('%s', { timeout: 120_000 }, async (_, breakIt) => {
    breakIt();
    const { failed, numRuns, errorInstance } = await fc.check(converges(root.path, { healMs: 1_000 }), {
      seed: SEED,
      numRuns: MAX_RUNS,
      endOnFailure: true,
    });
    console.info(`run ${numRuns}: ${String(errorInstance).split('\n')[0]}`);
    expect(failed).toBe(true);
  });
});
