import { type DependencyList, useMemo } from 'react';

/** Made once for these: an observable that is followed must be the same one at each rendering. */
export function useStable<T>(make: () => T, dependencies: DependencyList): T {
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever calls says what it depends on
  return useMemo(make, dependencies);
}
