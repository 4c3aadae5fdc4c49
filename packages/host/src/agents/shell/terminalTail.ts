import { readSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import type { IPty } from '@lydell/node-pty';

/** More than the system keeps for a terminal; who goes on writing after the exit is not waited for. */
const MAX_TAIL_BYTES = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/**
 * node-pty destroys a terminal's stream 200 ms after its process has ended, with all that was not read by then: on a machine
 * whose event loop is late, the end of what a command printed. With this it is read first. Where there is no such stream
 * (Windows), nothing changes.
 */
export function keepTail(terminal: IPty): void {
  const { _socket: stream, fd } = terminal as { readonly _socket?: ReadStream; readonly fd?: number };
  if (!stream || fd === undefined) return;
  const destroy = stream.destroy.bind(stream);
  stream.destroy = (error) => {
    if (!stream.destroyed && !stream.readableEnded && !error) readRest(stream, fd);
    return destroy(error);
  };
}

/** Through the stream, so that it comes in order, whole characters, and to whoever listens. */
function readRest(stream: ReadStream, fd: number): void {
  for (let left = MAX_TAIL_BYTES; left > 0; left -= PIECE_BYTES) {
    // Says what it returns as `data` too, also while the stream is paused.
    while (stream.read() !== null);
    const piece = readAvailable(fd);
    if (piece.length === 0) return;
    stream.push(piece);
  }
}

/** The descriptor does not block: at the end of what is there it fails. */
function readAvailable(fd: number): Buffer {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  try {
    return buffer.subarray(0, readSync(fd, buffer));
  } catch {
    return buffer.subarray(0, 0);
  }
}
