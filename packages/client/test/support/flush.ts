/** Lets everything happen that only waits for microtasks, such as frames of a memory transport. */
export function flush(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
