import type { CloseReason, Disposable, Transport } from '@agenthost/rpc';
import type { EncodedFrame } from '../state/delivery.js';

/** A connection's wire, as the host needs it: frames that are encoded already, many with one write. */
export interface FrameTransport extends Pick<Transport, 'onMessage' | 'onClose' | 'close' | 'onOversizeFrame'> {
  /** Contract: never throws, never blocks; what the other side does not read is bounded, and past the bound it is cut off. */
  write(frames: readonly EncodedFrame[]): void;
  /** What one frame from the other side may have, where that is not the usual. */
  readonly maxFrameBytes?: number;
  /** From now on it may have `MAX_FILE_FRAME_BYTES`. */
  admitFiles?(): void;
}

/** What one frame may have from a client that keeps the sessions' files: a whole file, a session's log for one, is one frame. */
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
