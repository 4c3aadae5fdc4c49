import { readSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import type { IPty } from '@lydell/node-pty';

/** More than the system buffers for a terminal; later output after the exit is not waited for. */
const MAX_TAIL_BYTES = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/**
 * node-pty destroys a terminal's stream 200 ms after its process has ended, with all unread output: with a late event loop,
 * the end of a command's output would be lost. This reads it first. Without such a stream
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

/** Through the stream, so that it arrives in order, as whole characters, at the listeners. */
function readRest(stream: ReadStream, fd: number): void {
  for (let left = MAX_TAIL_BYTES; left > 0; left -= PIECE_BYTES) {
    // `read` also emits what it returns as `data`, even while the stream is paused.
    while (stream.read() !== null);
    const piece = readAvailable(fd);
    if (piece.length === 0) return;
    stream.push(piece);
  }
}

/** The descriptor does not block: reading fails when nothing is left. */
function readAvailable(fd: number): Buffer {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  try {
    return buffer.subarray(0, readSync(fd, buffer));
  } catch {
    return buffer.subarray(0, 0);
  }
}
