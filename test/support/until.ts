import type { Observable } from '@agenthost/client';

/** Resolves with the first value that fits; fails with the last one when none came in time. */
export async function until<T>(
  observable: Observable<T>,
  fits: (value: T) => boolean,
  what = 'the expected value',
  timeoutMs = 10_000,
): Promise<T> {
  if (fits(observable.value)) return observable.value;
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const subscription = observable.subscribe((value) => {
    if (fits(value)) resolve(value);
  });
  const timer = setTimeout(() => {
    reject(new Error(`${what} did not come; the last value was ${JSON.stringify(observable.value)?.slice(0, 2_000)}`));
  }, timeoutMs);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    subscription.dispose();
  }
}
