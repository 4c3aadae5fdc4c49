import { type Frame, frameToText } from '../peer/frame.js';
import { Inbox, type InboxOptions } from '../peer/inbox.js';
import type { CloseReason, Transport } from '../transport.js';

export type LinkDirection = 'aToB' | 'bToA';

/**
 * What happens to a frame between the two ends of a memory transport.
 *
 * Contract: called once for each frame sent. Calls `deliver` never (a drop), once, or more often (a duplicate), now or
 * later; in another order than it was called (a reordering). Must not throw. Delivering after the close does nothing.
 */
export type Link = (frame: string, deliver: (frame: string) => void, direction: LinkDirection) => void;

/** Every frame, in order, in a microtask of its own. */
const perfectLink: Link = (frame, deliver) => queueMicrotask(() => deliver(frame));

export interface MemoryTransportOptions extends InboxOptions {
  readonly link?: Link;
}

export interface TransportPair {
  readonly a: Transport;
  readonly b: Transport;
}

interface End {
  readonly inbox: Inbox;
  readonly transport: Transport;
}

/**
 * Two connected transports in one process. Frames go through the link. The close does not: it reaches the other end a microtask
 * later, which is after all frames of a perfect link; frames that are still in a slower link are lost.
 *
 * @example
 * ```ts
 * const { a, b } = createMemoryTransportPair();
 * b.onMessage((text) => console.log(text));
 * a.send('{"jsonrpc":"2.0","method":"hello"}');
 * ```
 */
export function createMemoryTransportPair({
  link = perfectLink,
  ...options
}: MemoryTransportOptions = {}): TransportPair {
  const a: End = createEnd('aToB', link, options, () => b);
  const b: End = createEnd('bToA', link, options, () => a);
  return { a: a.transport, b: b.transport };
}

function createEnd(direction: LinkDirection, link: Link, options: InboxOptions, other: () => End): End {
  const close = (reason: CloseReason = { message: 'closed by this side' }) => {
    queueMicrotask(() => other().inbox.end(reason));
    inbox.close(reason);
  };
  const inbox = new Inbox(close, options);
  const deliver = (frame: string) => other().inbox.receive(frame);
  const transport: Transport = {
    send: (frame: Frame) => {
      if (!inbox.ended) link(frameToText(frame), deliver, direction);
    },
    onMessage: (listener) => inbox.onMessage(listener),
    onClose: (listener) => inbox.onClose(listener),
    close,
  };
  return { inbox, transport };
}
