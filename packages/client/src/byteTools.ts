import type { ByteTools } from '@agenthost/protocol/internal';

const CHUNK_BYTES = 0x8000;

/** Bytes and text by what browsers and Node have in common. */
export const WEB_BYTES: ByteTools = {
  decodeText: (bytes) => {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return undefined;
    }
  },
  encodeText: (text) => new TextEncoder().encode(text),
  toBase64: (bytes) => {
    let binary = '';
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
    }
    return btoa(binary);
  },
  fromBase64: (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0)),
};
