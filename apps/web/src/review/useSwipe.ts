import { type RefObject, useEffect, useRef } from 'react';

const FAR = 70;

/** A swipe to the side, unless it scrolled what is under the finger. */
export function useSwipe(element: RefObject<HTMLElement | null>, onSwipe: ((by: 1 | -1) => void) | undefined): void {
  const swiped = useRef(onSwipe);
  swiped.current = onSwipe;
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    let start: { x: number; y: number; scroller: Element | null; left: number } | undefined;
    const down = (event: TouchEvent) => {
      const [touch] = event.touches;
      const scroller = event.target instanceof Element ? event.target.closest('.uni') : null;
      start = touch && { x: touch.clientX, y: touch.clientY, scroller, left: scroller?.scrollLeft ?? 0 };
    };
    const up = (event: TouchEvent) => {
      const [touch] = event.changedTouches;
      if (!start || !touch) return;
      const [x, y] = [touch.clientX - start.x, touch.clientY - start.y];
      const isScrolled = start.scroller !== null && start.scroller.scrollLeft !== start.left;
      if (Math.abs(x) > FAR && Math.abs(y) < Math.abs(x) / 2 && !isScrolled) swiped.current?.(x < 0 ? 1 : -1);
      start = undefined;
    };
    current.addEventListener('touchstart', down, { passive: true });
    current.addEventListener('touchend', up, { passive: true });
    return () => {
      current.removeEventListener('touchstart', down);
      current.removeEventListener('touchend', up);
    };
  }, [element]);
}
