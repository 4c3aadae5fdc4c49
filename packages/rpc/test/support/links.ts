import { type Schedule, scheduleWithTimer } from '../../src/schedule.js';
import type { Link, LinkDirection } from '../../src/transports/memoryTransport.js';

export interface InFlightFrame {
  readonly frame: string;
  readonly direction: LinkDirection;
}

/** A link whose frames move only when a test says so. Indexes are those of `inFlight`; one that isn't there throws. */
export interface ManualLink {
  readonly link: Link;
  readonly inFlight: readonly InFlightFrame[];
  deliver(index: number): void;
  drop(index: number): void;
  /** Puts a copy right behind the original. */
  duplicate(index: number): void;
  /** Those that are in flight now, in order; not those that they give rise to. */
  deliverAll(): void;
}

interface QueuedFrame extends InFlightFrame {
  readonly deliver: (frame: string) => void;
}

export function manualLink(): ManualLink {
  const queue: QueuedFrame[] = [];
  const at = (index: number): QueuedFrame => {
    const queued = queue[index];
    if (queued === undefined) throw new RangeError(`no frame ${index} is in flight, only ${queue.length}`);
    return queued;
  };
  const remove = (index: number): QueuedFrame => {
    const queued = at(index);
    queue.splice(index, 1);
    return queued;
  };
  return {
    link: (frame, deliver, direction) => void queue.push({ frame, deliver, direction }),
    get inFlight() {
      return queue.map(({ frame, direction }) => ({ frame, direction }));
    },
    deliver: (index) => {
      const { frame, deliver } = remove(index);
      deliver(frame);
    },
    drop: (index) => void remove(index),
    duplicate: (index) => void queue.splice(index, 0, at(index)),
    deliverAll: () => {
      for (const { frame, deliver } of queue.splice(0)) deliver(frame);
    },
  };
}

export interface FaultyLinkOptions {
  /** From 0 to below 1. The same numbers give the same faults. */
  readonly random: () => number;
  /** The probability that a frame is lost. Defaults to 0. */
  readonly drop?: number;
  /** The probability that a frame arrives twice. Defaults to 0. */
  readonly duplicate?: number;
  /** Each copy takes from 0 to this many milliseconds, so that frames overtake each other. Defaults to 0. */
  readonly delay?: number;
  /** Defaults to `setTimeout`. */
  readonly schedule?: Schedule;
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
