import { usageError } from '../commandError.js';

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;
type Unit = keyof typeof UNITS;

/** "90d" of a flag, in milliseconds. */
export function parseTime(flag: string, text: string, units: readonly Unit[]): number {
  const [, count, unit] = /^(\d{1,5})([a-z])$/.exec(text) ?? [];
  const known = units.find((one) => one === unit);
  if (known) return Number(count) * UNITS[known];
  const names = `${units.slice(0, -1).join(', ')} or ${units.at(-1)}`;
  throw usageError(`${flag} ${text} is not a time.`, `Give a number with ${names}, e.g. 90d.`);
}
