import { randomBytes } from 'node:crypto';

/** Ids for records of logs that no other record anywhere has. What is random is drawn once: every envelope needs one. */
export function recordIds(): () => string {
  const run = randomBytes(12).toString('hex');
  let last = 0;
  return () => `${run}-${++last}`;
}
