/**
 * How much of a fault a test makes: a little of it in `npm test`, all of it in `npm run test:faults`, or as many as that one is
 * told (`npm run test:faults -- --kills 1000`, which is `AGENTHOST_FAULT_KILLS`).
 */
export function amount(name: string, { smoke, full }: { readonly smoke: number; readonly full: number }): number {
  const told = process.env[`AGENTHOST_FAULT_${name.toUpperCase()}`];
  if (told !== undefined && told !== '') return Number(told);
  return isWhole ? full : smoke;
}

export const isWhole = process.env['AGENTHOST_FAULTS'] === 'all';

/** Of a whole run, which ends by what it waits for and not by this. */
export const LONG_MS = 6 * 60 * 60_000;

/** For what happens at once on an idle machine. */
export const PATIENCE_MS = 120_000;
