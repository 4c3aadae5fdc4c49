import type { CloseReason, Disposable, Transport } from '@agenthost/rpc';
import type { EncodedFrame } from '../state/delivery.js';

/** A transport for encoded frames, many with one write. */
export interface FrameTransport extends Pick<Transport, 'onMessage' | 'onClose' | 'close' | 'onOversizeFrame'> {
  /** Never throws, never blocks. Unread bytes are bounded: a client that exceeds the bound is disconnected. */
  write(frames: readonly EncodedFrame[]): void;
  /** The largest frame from the other side, if it is not the default. */
  readonly maxFrameBytes?: number;
  /** Raises the limit to `MAX_FILE_FRAME_BYTES`. */
  admitFiles?(): void;
}

/** The largest frame from a client that keeps the sessions' files: a whole file, such as a log, is one frame. */
export const MAX_FILE_FRAME_BYTES = 64 * 1024 * 1024;

/** Any transport of `rpc`, for connections inside the process. */
export function frameTransportOver(transport: Transport): FrameTransport {
  return {
    onMessage: (listener: (text: string) => void): Disposable => transport.onMessage(listener),
    onClose: (listener: (reason: CloseReason) => void): Disposable => transport.onClose(listener),
    close: (reason?: CloseReason) => transport.close(reason),
    write(frames) {
      for (const frame of frames) transport.send(frame.text);
    },
  };
}
