import { it } from 'vitest';
import { deliverUnderFaults } from '../support/webhooks/deliverUnderFaults.js';
import { amount, LONG_MS } from './support/amount.js';

const events = amount('events', { smoke: 400, full: 10_000 });
const kills = amount('webhookkills', { smoke: 2, full: 10 });

it(
  '[WH2] webhooks arrive at least once and in order, with a receiver that is away half the time and a host that is killed',
  {
    timeout: LONG_MS,
  },
  () => deliverUnderFaults({ events, kills, awayMs: 1_000 }),
);
