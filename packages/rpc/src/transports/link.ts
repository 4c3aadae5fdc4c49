export type LinkDirection = 'aToB' | 'bToA';

/**
 * What happens to a frame between the two ends of a memory transport.
 *
 * Contract: called once for each frame sent. Calls `deliver` never (a drop), once, or more often (a duplicate), now or
 * later; in another order than it was called (a reordering). Must not throw. Delivering after the close does nothing.
 */
export type Link = (frame: string, deliver: (frame: string) => void, direction: LinkDirection) => void;

/** Every frame, in order, in a microtask of its own. */
export const perfectLink: Link = (frame, deliver) => queueMicrotask(() => deliver(frame));
