import type { DamageReport } from './eventLog.js';
import { MAX_BROKEN_LINES } from './logScanner.js';

const NAMED_LINES = 20;

/** A text for the host's log. */
export function describeDamage({ tornTail, broken, altered }: DamageReport): string {
  const rest = broken.length - NAMED_LINES;
  const parts = [
    ...(tornTail ? [`${tornTail.bytes} bytes at the end of its log were incomplete and have been cut off`] : []),
    ...(altered
      ? ['its log is not the one that was stored: another program changed it; it is read again next time']
      : []),
    ...broken.slice(0, NAMED_LINES).map(({ line, reason }) => `line ${line} of its log can't be read (${reason})`),
    ...(rest > 0 ? [`nor can ${broken.length >= MAX_BROKEN_LINES ? 'more than ' : ''}${rest} other lines of it`] : []),
  ];
  return parts.join('; ');
}
