import { type Frame, frameToText } from '../peer/frame.js';
import { Inbox, type InboxOptions } from '../peer/inbox.js';
import type { CloseReason, Transport } from '../transport.js';
import { type Link, type LinkDirection, perfectLink } from './links.js';

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
 * Two ends in one process. Frames go through the link; the close doesn't: it reaches the other end a microtask later, which
 * is behind all frames of a perfect link, and after it nothing that is still in a slower link is delivered.
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
