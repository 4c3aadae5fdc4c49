import { describe, expect, it } from 'vitest';
import { acknowledgesFirst, altered } from './support/alteredHost.js';
import { amount, isWhole, LONG_MS } from './support/amount.js';
import { killUnderLoad } from './support/killLoad.js';

const KILLS = amount('kills', { smoke: 4, full: 200 });
/** A host that is broken shows it soon. */
const ENOUGH = 40;

interface SequenceModule {
  readonly SequenceFile: { open: (stateRoot: string, options?: object) => Promise<{ next(): number }> };
}

describe('a host that is killed under load', { timeout: LONG_MS }, () => {
  it('[ONCE1] [FATE1] [ENV1] loses and doubles nothing that it accepted, and repeats no number', async () => {
    const { kills, accepted, unknown, envelopes } = await killUnderLoad(KILLS);
    console.info(
      `${kills} kills, ${accepted} accepted, ${unknown} unknown to their sender, ${envelopes} envelopes: 0 lost, 0 doubled, 0 numbers repeated`,
    );
    expect(accepted).toBeGreaterThan(10 * kills);
    expect(envelopes).toBeGreaterThan(10 * kills);
  });

  it.runIf(isWhole)('is caught when it acknowledges before it has stored', async () => {
    await expect(killUnderLoad(ENOUGH, acknowledgesFirst)).rejects.toThrow(/accepted, but not on disk/);
  });

  it.runIf(isWhole)('is caught when its numbers begin again', async () => {
    const forgets = altered('storage/stateRoot/sequenceFile.js', ({ SequenceFile }: SequenceModule) => {
      // As if nothing had been reserved: numbers continue after those in the logs, which are less than what was sent.
      SequenceFile.open = async () => {
        let current = 0;
        return { next: () => ++current, current: 0, dispose: async () => {} } as never;
      };
    });
    await expect(killUnderLoad(ENOUGH, forgets)).rejects.toThrow(/was given out before/);
  });
});
