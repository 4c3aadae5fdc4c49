import type { Disposable } from './events.js';
import type { Frame } from './peer/frame.js';

export interface CloseReason {
  /** The transport's own code, such as a WebSocket close code. */
  readonly code?: number;
  readonly message: string;
}

/**
 * A two-way, ordered, reliable stream of text frames.
 *
 * Contract:
 * - Order: frames arrive in the order in which they were sent, whole, and each exactly once, until the close.
 * - `send` never throws and never blocks. A `Uint8Array` is UTF-8 and arrives as text; it may be shared with other
 *   transports, so neither side changes it afterwards. What the other side doesn't drain is bounded: past its limit the
 *   transport closes itself.
 * - Sending after the close does nothing: the close can always overtake a sender, and `onClose` reports it.
 * - Frames that arrive before the first `onMessage` listener are kept, up to a limit past which the transport closes,
 *   and delivered in a microtask after it was added. Once there was a listener, frames without a listener are lost.
 * - Listeners are called in the order in which they were added, one frame after the other: a frame that arrives while a
 *   listener runs waits. A listener that throws stops neither the others nor later frames.
 * - Close: frames sent before `close()` reach the other side before its close listeners are called. The side that closes
 *   gets no more frames. Close listeners are called exactly once on each side, possibly inside `close()`; one that is
 *   added after the close is called in a microtask. `close()` is idempotent; the first reason counts.
 */
export interface Transport {
  send(frame: Frame): void;
  onMessage(listener: (text: string) => void): Disposable;
  onClose(listener: (reason: CloseReason) => void): Disposable;
  close(reason?: CloseReason): void;
  /**
   * For transports that discard a frame over their limit instead of keeping it: called in the place of that frame, so
   * that the peer can answer it. Needs to be added before the first `onMessage` listener to see all of them.
   */
  onOversizeFrame?(listener: (maxBytes: number) => void): Disposable;
}
