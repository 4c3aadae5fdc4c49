import { dateOf } from '@agenthost/protocol/internal';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "now", "4m", "2h", "Tue", "28 Oct", "3 Feb 2025": short forms for a list. */
export function shortAge(at: number, now: number): string {
  const age = now - at;
  if (age < MINUTE) return 'now';
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h`;
  const date = dateOf(at);
  if (age < 6 * DAY) return date.toLocaleDateString(undefined, { weekday: 'short' });
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', ...(!sameYear && { year: 'numeric' }) });
}

/** The same in a sentence: "just now", "4 min ago", "2 h ago", "Tue", "28 Oct". */
export function ago(at: number, now: number): string {
  const age = now - at;
  if (age < MINUTE) return 'just now';
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`;
  return age < DAY ? `${Math.floor(age / HOUR)} h ago` : shortAge(at, now);
}

/** "0.4 s", "12 s", "3 min 5 s", "2 h 4 min". */
export function duration(ms: number): string {
  if (ms < 0) return '0 s';
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / SECOND)} s`;
  return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`;
}

/** "12 s", "4 min", "2 h": a duration without tenths. */
export function roughly(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.round(ms / SECOND))} s`;
  return ms < HOUR ? `${Math.floor(ms / MINUTE)} min` : `${Math.floor(ms / HOUR)} h`;
}

export function clock(at: number, seconds = false): string {
  return dateOf(at).toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(seconds && { second: '2-digit' }),
  });
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)} kB`;
  return `${(count / 1_000_000).toFixed(count < 10_000_000 ? 1 : 0)} MB`;
}
