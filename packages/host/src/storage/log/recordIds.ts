import { randomBytes } from 'node:crypto';

/** Unique ids for records of logs. The random part is drawn once, because every envelope needs an id. */
export function recordIds(): () => string {
  const run = randomBytes(12).toString('hex');
  let last = 0;
  return () => `${run}-${++last}`;
}
