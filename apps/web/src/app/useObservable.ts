import type { Observable } from '@agenthost/sessions';
import { useCallback, useSyncExternalStore } from 'react';

/** The value, with a new rendering when it changes. */
export function useObservable<T>(source: Observable<T>): T {
  const subscribe = useCallback(
    (changed: () => void) => {
      const following = source.subscribe(changed);
      return () => following.dispose();
    },
    [source],
  );
  return useSyncExternalStore(subscribe, () => source.value);
}
