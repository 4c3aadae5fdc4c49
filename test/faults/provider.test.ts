import { describe, it } from 'vitest';
import { everyFault } from './everyFault.js';
import { FAULT_MODES } from './faultPlan.js';
import { faultyProvider } from './faultyProvider.js';

describe("every operation on a client's file system fails in its turn; what was acknowledged is there, the rest was refused, all goes on", () => {
  it.each(FAULT_MODES)('%s', { timeout: 300_000 }, (mode) => everyFault('provider', faultyProvider, mode));
});
