import { dateOf } from '@agenthost/protocol/internal';

const STEPS = [
  [60_000, 1_000, 's'],
  [3_600_000, 60_000, 'm'],
  [86_400_000, 3_600_000, 'h'],
  [7 * 86_400_000, 86_400_000, 'd'],
] as const;

/** `42s`, `7m`, `3h`, `2d`, then the date. */
export function relativeTime(at: number, now: number): string {
  const age = Math.max(now - at, 0);
  const step = STEPS.find(([limit]) => age < limit);
  return step ? `${Math.floor(age / step[1])}${step[2]}` : dateOf(at).toISOString().slice(0, 10);
}
