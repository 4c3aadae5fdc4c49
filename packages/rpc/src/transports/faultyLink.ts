import type { Link } from './link.js';

export interface FaultyLinkOptions {
  /** From 0 to below 1. The same numbers give the same faults. */
  readonly random: () => number;
  /** The probability that a frame is lost; 0 unless told. */
  readonly drop?: number;
  /** The probability that a frame arrives twice; 0 unless told. */
  readonly duplicate?: number;
  /** Each copy takes from 0 to this many milliseconds, so that frames overtake each other; 0 unless told. */
  readonly delay?: number;
  /** `setTimeout` unless told. */
  readonly schedule?: (run: () => void, delayMs: number) => void;
}

/** A link that breaks the Transport contract at random, to test what is above it. */
export function faultyLink(options: FaultyLinkOptions): Link {
  const { random, drop = 0, duplicate = 0, delay = 0, schedule = scheduleWithTimer } = options;
  return (frame, deliver) => {
    // Always the same number of draws before the copies, so that a changed probability shifts nothing else.
    const dropped = random() < drop;
    const copies = random() < duplicate ? 2 : 1;
    if (dropped) return;
    for (let copy = 0; copy < copies; copy++) schedule(() => deliver(frame), random() * delay);
  };
}

function scheduleWithTimer(run: () => void, delayMs: number): void {
  setTimeout(run, delayMs);
}
