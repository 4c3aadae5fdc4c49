import { afterEach, describe, expect, it, vi } from 'vitest';
import { Delivery } from '../../packages/host/src/state/delivery.js';
import { amount, isWhole, LONG_MS } from './support/amount.js';
import { everyFault } from './support/everyFault.js';
import { FAULT_MODES } from './support/faultPlan.js';
import { faultyProvider } from './support/faultyProvider.js';
import { faultySeedProvider } from './support/faultySeedProvider.js';

/** In `npm test` a few of them, spread over the whole. */
const STEP = amount('every', { smoke: 12, full: 1 });

describe("each operation on a client's file system fails once; acknowledged actions are there, others were refused, and work continues", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(FAULT_MODES)('%s', { timeout: LONG_MS }, (mode) => everyFault('provider', faultyProvider, mode, STEP));

  it.each(FAULT_MODES)('%s, of a client without the SDK that keeps only text', { timeout: LONG_MS }, (mode) =>
    everyFault('seed provider', faultySeedProvider, mode, STEP),
  );

  it.runIf(isWhole)(
    'which a host that acknowledges before it has stored does not pass',
    { timeout: LONG_MS },
    async () => {
      vi.spyOn(Delivery.prototype, 'requireStored').mockImplementation(() => {});
      await expect(everyFault('provider, broken', faultyProvider, 'full')).rejects.toThrow(/lost|failed/);
    },
  );
});
