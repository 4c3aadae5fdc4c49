import { isUtf8 } from 'node:buffer';
import type { ByteTools } from '@agenthost/protocol';

/** Bytes and text by Node's own means. */
export const NODE_BYTES: ByteTools = {
  decodeText: (bytes) => (isUtf8(bytes) ? asBuffer(bytes).toString('utf8') : undefined),
  encodeText: (text) => Buffer.from(text, 'utf8'),
  toBase64: (bytes) => asBuffer(bytes).toString('base64'),
  fromBase64: (text) => Buffer.from(text, 'base64'),
};

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
