import { it } from 'vitest';
import { deliverUnderFaults } from '../../support/webhooks/deliverUnderFaults.js';

// The long form is in test/faults.
it(
  '[WH2] webhooks arrive at least once and in order, with a receiver that comes and goes and a host that is killed',
  {
    timeout: 60_000,
  },
  () => deliverUnderFaults({ events: 40, kills: 1, awayMs: 100 }),
);
