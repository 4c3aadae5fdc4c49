import type { DamageReport } from './eventLog.js';

/** For the host's log. */
export function describeDamage({ tornTail, broken, altered }: DamageReport): string {
  const parts = [
    ...(tornTail ? [`${tornTail.bytes} bytes at the end of its log were incomplete and have been cut off`] : []),
    ...(altered ? ['its log is not the one that was stored: somebody else changed it; it is read anew next time'] : []),
    ...broken.map(({ line, reason }) => `line ${line} of its log can't be read (${reason})`),
  ];
  return parts.join('; ');
}
