const MOST = 500;
const seen = new Map<string, { readonly start: number; end?: number }>();

/**
 * How long a thought took, as far as this page saw it: the protocol has no times of parts. Called at each rendering; the first
 * one that finds it running starts the clock, the first one that finds it over stops it.
 */
export function thoughtTook(partId: string, running: boolean): number | undefined {
  const known = seen.get(partId);
  if (!known) {
    if (running) remember(partId);
    return undefined;
  }
  if (!running) known.end ??= Date.now();
  return known.end === undefined ? undefined : known.end - known.start;
}

function remember(partId: string): void {
  seen.set(partId, { start: Date.now() });
  const [oldest] = seen.keys();
  if (seen.size > MOST && oldest !== undefined) seen.delete(oldest);
}
