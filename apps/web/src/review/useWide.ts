import { useSyncExternalStore } from 'react';

/** Both sides fit beside each other. */
const wide = window.matchMedia('(min-width: 1100px)');

export function useWide(): boolean {
  return useSyncExternalStore(
    (changed) => {
      wide.addEventListener('change', changed);
      return () => wide.removeEventListener('change', changed);
    },
    () => wide.matches,
  );
}
