import { useSyncExternalStore } from 'react';

/** As in theme/phone.css and phonePrompts.css. */
const narrow = window.matchMedia('(max-width: 719px)');

/** Whether only one pane fits. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (changed) => {
      narrow.addEventListener('change', changed);
      return () => narrow.removeEventListener('change', changed);
    },
    () => narrow.matches,
  );
}
