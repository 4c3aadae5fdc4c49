import { useSyncExternalStore } from 'react';

/** As in theme/phone.css and phonePrompts.css. */
const narrow = window.matchMedia('(max-width: 719px)');
/** A phone, or a window that is low, as at 200 % zoom. */
const small = window.matchMedia('(max-width: 719px), (max-height: 520px)');

/** Whether only one pane fits. */
export function useNarrow(): boolean {
  return useMatches(narrow);
}

/** Whether the conversation needs all the room that there is. */
export function useSmall(): boolean {
  return useMatches(small);
}

function useMatches(query: MediaQueryList): boolean {
  return useSyncExternalStore(
    (changed) => {
      query.addEventListener('change', changed);
      return () => query.removeEventListener('change', changed);
    },
    () => query.matches,
  );
}
