import { MAX_TIMESTAMP } from './limits.js';

/**
 * A time of the wire as a date that can always be shown. A time that no `Date` can hold is cut to the nearest one that it can: one
 * bad number, from an older host say, must not break a whole list.
 *
 * @example
 * dateOf(9e15).toISOString() // '+275760-09-13T00:00:00.000Z'
 */
export function dateOf(time: number): Date {
  return new Date(Number.isNaN(time) ? 0 : Math.min(Math.max(time, -MAX_TIMESTAMP), MAX_TIMESTAMP));
}
