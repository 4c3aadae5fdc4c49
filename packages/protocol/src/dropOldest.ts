/** Bounds a map or a set that is used as a cache: removes its oldest entries until it has at most `max`. */
export function dropOldest<K>(entries: Map<K, unknown> | Set<K>, max: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(key);
  }
}
