import type { KeyboardEvent, PointerEvent } from 'react';

interface HeightHandleProps {
  readonly height: number;
  readonly onHeight: (height: number) => void;
}

const MIN = 160;
const STEP = 24;
const most = () => Math.max(MIN, Math.round(innerHeight * 0.7));
const bounded = (height: number) => Math.round(Math.min(most(), Math.max(MIN, height)));

/** The upper edge of the panel, to be dragged, or moved with the arrow keys. */
export function HeightHandle({ height, onHeight }: HeightHandleProps) {
  const begin = (event: PointerEvent<HTMLElement>) => {
    const from = event.clientY;
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    const move = (moved: globalThis.PointerEvent) => onHeight(bounded(height + from - moved.clientY));
    const end = () => handle.removeEventListener('pointermove', move);
    handle.addEventListener('pointermove', move);
    handle.addEventListener('pointerup', end, { once: true });
    handle.addEventListener('pointercancel', end, { once: true });
    event.preventDefault();
  };
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
    if (step === undefined) return;
    onHeight(bounded(height + step));
    event.preventDefault();
  };
  return (
    <div
      className="thandle"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the terminals"
      aria-valuenow={height}
      aria-valuemin={MIN}
      aria-valuemax={most()}
      tabIndex={0}
      onPointerDown={begin}
      onKeyDown={pressed}
    />
  );
}
