import { afterEach, describe, expect, it, vi } from 'vitest';
import { Delivery } from '../../packages/host/src/state/delivery.js';
import { amount, isWhole, LONG_MS } from './support/amount.js';
import { everyFault } from './support/everyFault.js';
import { FAULT_MODES } from './support/faultPlan.js';
import { faultyLocal } from './support/faultyLocal.js';

/** In `npm test` a few of them, spread over the whole. */
const STEP = amount('every', { smoke: 12, full: 1 });

describe('each operation on the local disk fails once; acknowledged actions are there, others were refused, and work continues', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(FAULT_MODES)('%s', { timeout: LONG_MS }, (mode) => everyFault('local', faultyLocal, mode, STEP));

  it.runIf(isWhole)(
    'which a host that acknowledges before it has stored does not pass',
    { timeout: LONG_MS },
    async () => {
      vi.spyOn(Delivery.prototype, 'requireStored').mockImplementation(() => {});
      await expect(everyFault('local, broken', faultyLocal, 'full')).rejects.toThrow(/lost|failed/);
    },
  );
});
