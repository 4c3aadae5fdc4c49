import { SessionFsFailure } from './sessionFs.js';

/** A longer line means a damaged file or an attack; reading on would take all the memory. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** The same for a line with zeros, which is no text: searching megabytes of them would block the host. */
export const MAX_BINARY_LINE_BYTES = 2 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Lines end at `\n` only; a `\r` stays. A last line without an end is included; an empty one isn't. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<string> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let hasZeros = false;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end);
      hasZeros ||= heldBytes > 0 && piece.includes(0);
      refuseOver(heldBytes + piece.length, hasZeros);
      yield heldBytes === 0 ? decode(piece) : decode(Buffer.concat([...held, piece]));
      held = [];
      heldBytes = 0;
      hasZeros = false;
      start = end + 1;
    }
    if (start === chunk.length) continue;
    const rest = chunk.subarray(start);
    hasZeros ||= rest.includes(0);
    refuseOver(heldBytes + rest.length, hasZeros);
    // A copy, which `slice` of a Buffer isn't: the reader may reuse the chunk's memory.
    held.push(Uint8Array.from(rest));
    heldBytes += chunk.length - start;
  }
  if (heldBytes > 0) yield decode(Buffer.concat(held));
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function refuseOver(bytes: number, hasZeros: boolean): void {
  const limit = hasZeros ? MAX_BINARY_LINE_BYTES : MAX_LINE_BYTES;
  if (bytes > limit) throw new SessionFsFailure('EFBIG', `a line is longer than ${limit} bytes`);
}
