import { type RefObject, useEffect, useRef } from 'react';

/** Focuses an element when it appears, after its dialog has opened. */
export function useFirstFocus<T extends HTMLElement>(isShown = true): RefObject<T | null> {
  const element = useRef<T>(null);
  useEffect(() => {
    if (isShown) element.current?.focus();
  }, [isShown]);
  return element;
}
