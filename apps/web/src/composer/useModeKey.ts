import type { SessionState } from '@agenthost/protocol';
import { useEffect, useRef } from 'react';
import { nextMode } from './sessionSettings.js';

/** Shift+Tab in the composer chooses the next mode, where there is one. Elsewhere, and without modes, it moves the focus as usual. */
export function useModeKey(
  state: SessionState | undefined,
  onChoose: ((setting: string, value: string) => void) | undefined,
): void {
  const current = useRef({ state, onChoose });
  current.current = { state, onChoose };
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== 'Tab' || !event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.isComposing || !(event.target instanceof HTMLElement) || !event.target.matches('[data-composer]'))
        return;
      const { state: shown, onChoose: choose } = current.current;
      const next = shown && choose && nextMode(shown);
      if (!next) return;
      event.preventDefault();
      choose(...next);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}
