import { type DependencyList, useMemo } from 'react';

/** Made once for these dependencies: a followed observable must stay the same over renderings. */
export function useStable<T>(make: () => T, dependencies: DependencyList): T {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller passes the dependencies
  return useMemo(make, dependencies);
}
