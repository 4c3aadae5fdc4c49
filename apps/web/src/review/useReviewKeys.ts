import { useEffect, useRef } from 'react';

/**
 * The keys of the review. They come before those of the page, which mean something else here. With `isAlways` a key works without
 * single letters and while the user types.
 */
export interface ReviewKey {
  readonly run: () => void;
  readonly isAlways?: boolean;
}

export function useReviewKeys(keys: Readonly<Record<string, ReviewKey>>, singleLetters: boolean): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return;
      if (document.querySelector('dialog[open], [popover]:popover-open')) return;
      const control = event.ctrlKey || event.metaKey;
      const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const shifted = event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${name}` : name;
      const found = current.current[control ? `Control+${name}` : shifted];
      if (!found) return;
      const isWriting = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      const isCheckbox = event.target instanceof HTMLInputElement && event.target.type === 'checkbox';
      if (isWriting && !isCheckbox && !found.isAlways) return;
      // A field answers Escape and Ctrl+Enter itself: neither closes the review or sends all comments.
      if (isWriting && !isCheckbox && (name === 'Escape' || event.target instanceof HTMLTextAreaElement)) return;
      if (!found.isAlways && !singleLetters && name.length === 1) return;
      if (name.startsWith('Arrow') && !(event.target instanceof Element && event.target.closest('.rv-hunk'))) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      found.run();
    };
    window.addEventListener('keydown', pressed, true);
    return () => window.removeEventListener('keydown', pressed, true);
  }, [singleLetters]);
}
