import type { Observable } from '@agenthost/sessions';
import { useMemo, useSyncExternalStore } from 'react';

/** A hidden page gets no frames; it updates at this interval. */
const HIDDEN_MS = 250;

/**
 * Like `useObservable`, for values that change faster than a screen: all changes of a frame are one rendering.
 * The first change after a pause is shown at once.
 */
export function useFrameObservable<T>(source: Observable<T>): T {
  const store = useMemo(() => frameStore(source), [source]);
  return useSyncExternalStore(store.subscribe, store.read);
}

function frameStore<T>(source: Observable<T>) {
  let shown = source.value;
  let pending: (() => void) | undefined;
  const subscribe = (changed: () => void) => {
    const show = () => {
      if (shown === source.value) return;
      shown = source.value;
      changed();
    };
    const wait = () => {
      const late = () => {
        pending?.();
        const isMore = shown !== source.value;
        show();
        if (isMore) wait();
      };
      const frame = requestAnimationFrame(late);
      const timer = setTimeout(late, HIDDEN_MS);
      pending = () => {
        cancelAnimationFrame(frame);
        clearTimeout(timer);
        pending = undefined;
      };
    };
    const following = source.subscribe(() => {
      if (pending) return;
      show();
      wait();
    });
    show();
    return () => {
      following.dispose();
      pending?.();
    };
  };
  return { subscribe, read: () => shown };
}
