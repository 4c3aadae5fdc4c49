export const BACKOFF_BASE_MS = 250;
export const BACKOFF_CAP_MS = 30_000;

/** Full jitter: anything up to a ceiling that doubles, so that the clients of a host that restarts don't come all at once. */
export function backoffDelay(attempt: number, random: () => number): number {
  return random() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** Math.min(attempt - 1, 30));
}
