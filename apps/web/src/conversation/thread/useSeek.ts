import { type RefObject, useEffect, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';

/** The position is final when it is the same in so many frames one after another. */
const EQUAL_FRAMES = 3;
/** Then it ends wherever it is: something moves all the time. */
const MOST_FRAMES = 90;

interface SeekOptions {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly virtualizer: RefObject<VirtualizerHandle | null>;
  /** Its current place in the list, or -1. */
  readonly indexOf: (turnId: string) => number;
  readonly onEnd: () => void;
}

/**
 * Scrolls to a turn, and again until it stays there: turns above it are measured when they come into view, which moves it. The
 * virtualizer does the same by itself, but gives up where measuring takes longer than 150 ms, e.g. on a busy machine.
 */
export function useSeek(options: SeekOptions) {
  const current = useRef(options);
  current.current = options;
  const frame = useRef<number>(undefined);
  const stop = () => {
    if (frame.current !== undefined) cancelAnimationFrame(frame.current);
    frame.current = undefined;
  };
  useEffect(
    () => () => {
      if (frame.current !== undefined) cancelAnimationFrame(frame.current);
    },
    [],
  );
  const seek = (turnId: string) => {
    stop();
    let before: number | undefined;
    let equal = 0;
    const look = (left: number) => {
      const { scroller, virtualizer, indexOf, onEnd } = current.current;
      const index = indexOf(turnId);
      if (index !== -1) virtualizer.current?.scrollToIndex(index, { align: 'start' });
      const top = scroller.current?.scrollTop;
      equal = top === before ? equal + 1 : 0;
      before = top;
      if (left > 0 && equal < EQUAL_FRAMES) {
        frame.current = requestAnimationFrame(() => look(left - 1));
        return;
      }
      frame.current = undefined;
      onEnd();
    };
    look(MOST_FRAMES);
  };
  return { seek, stop, isSeeking: () => frame.current !== undefined };
}
