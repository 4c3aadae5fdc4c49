import { useEffect, useRef } from 'react';

export interface Shortcut {
  readonly key: string;
  /** With Ctrl, or ⌘ on a Mac. These also work while the user types. */
  readonly withControl?: boolean;
  readonly run: () => void;
}

/** Keys that work anywhere, except while the user types or a dialog is open. */
export function useShortcuts(shortcuts: readonly Shortcut[], singleLetters: boolean): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return;
      const control = event.ctrlKey || event.metaKey;
      if (!control && (!singleLetters || isWriting(event.target))) return;
      if (!control && document.querySelector('dialog[open]')) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const found = current.current.find(
        (shortcut) => shortcut.key === key && (shortcut.withControl ?? false) === control,
      );
      if (!found) return;
      event.preventDefault();
      found.run();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [singleLetters]);
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  );
}
