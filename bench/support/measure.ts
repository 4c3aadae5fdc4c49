import { parseArgs } from 'node:util';
import type { Outcome } from './figure.ts';
import { textTable } from './table.ts';

export interface MeasureOptions {
  /** Less of everything: to see that it works, and whether something is far off. */
  readonly quick: boolean;
  /** How long a soak takes, where it is not the usual. */
  readonly minutes: number | undefined;
}

/** Runs the one measure that this process is for, and prints what it found: a table, or JSON for `bench/run.ts`. */
export async function measure(work: (options: MeasureOptions) => Promise<Partial<Outcome>>): Promise<void> {
  endServersWhenStopped();
  const { values } = parseArgs({
    options: { quick: { type: 'boolean' }, json: { type: 'boolean' }, minutes: { type: 'string' } },
  });
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  const outcome = { figures: [], series: [], ...(await work({ quick: values.quick ?? false, minutes })) };
  process.stdout.write(`${values.json ? JSON.stringify(outcome) : textTable(outcome)}\n`);
}

/** A signal alone ends a process without its `exit`, in which the servers are ended. */
export function endServersWhenStopped(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
}

export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
