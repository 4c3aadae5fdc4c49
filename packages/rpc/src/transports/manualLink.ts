import type { Link, LinkDirection } from './link.js';

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
