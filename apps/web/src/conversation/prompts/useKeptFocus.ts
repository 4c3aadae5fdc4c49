import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * An answered prompt takes the focus with it. The conversation gets it then, so that the keys go on working; never the next prompt,
 * which one key too many would answer.
 */
export function useKeptFocus(): RefObject<HTMLElement | null> {
  const section = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const { current } = section;
    const thread = current?.closest<HTMLElement>('[role=log]');
    return () => {
      if (!current?.contains(document.activeElement)) return;
      // Not before the prompt has left the document: until then it may only be rendered again.
      queueMicrotask(() => {
        if (!current.isConnected) thread?.focus({ preventScroll: true });
      });
    };
  }, []);
  return section;
}
