/** Runs `work` for the items in order, at most `atOnce` at a time. The first failure rejects. */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  for await (const item of items) {
    const done = work(item).finally(() => running.delete(done));
    done.catch(() => {});
    running.add(done);
    if (running.size >= atOnce) await Promise.race(running);
  }
  await Promise.all(running);
}
