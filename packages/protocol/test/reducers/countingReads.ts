/** Runs a function on an object and counts every property it reads, lists or copies, anywhere inside. */
export function countingReads<T extends object, R>(value: T, run: (value: T) => R): { reads: number; result: R } {
  let reads = 0;
  const watch = (target: object): object =>
    new Proxy(target, {
      get(inner, key, receiver) {
        reads++;
        const read: unknown = Reflect.get(inner, key, receiver);
        return typeof read === 'object' && read !== null ? watch(read) : read;
      },
      ownKeys(inner) {
        reads++;
        return Reflect.ownKeys(inner);
      },
    });
  const result = run(watch(value) as T);
  return { reads, result };
}
