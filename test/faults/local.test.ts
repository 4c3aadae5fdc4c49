import { describe, it } from 'vitest';
import { everyFault } from './everyFault.js';
import { FAULT_MODES } from './faultPlan.js';
import { faultyLocal } from './faultyLocal.js';

describe('every operation on the local disk fails in its turn; what was acknowledged is there, the rest was refused, all goes on', () => {
  it.each(FAULT_MODES)('%s', { timeout: 300_000 }, (mode) => everyFault('local', faultyLocal, mode));
});
