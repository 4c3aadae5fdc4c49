import { isUtf8 } from 'node:buffer';
import {
  type ByteTools,
  fromStoredText,
  isPlainStoredText,
  type ReadFileParams,
  toStoredText,
} from '@agenthost/protocol/internal';
import type { ProviderAbilities } from './providerProbe.js';

/** A larger write is split: encoded as JSON, each piece stays below the limit of a frame. */
const MAX_PIECE_BYTES = 1024 * 1024;
const MAX_PIECE_LENGTH = MAX_PIECE_BYTES / 4;

const MEBIBYTE = 1024 * 1024;

export interface ContentPiece {
  readonly content: string;
  readonly encoding?: 'base64';
}

/** How a file's content is encoded in calls, depending on what the provider understands. */
export interface ProviderContent {
  /** A whole file is read in one frame of at most 64 MiB: this much of any content fits. */
  readonly maxFileBytes: number;
  readonly readParams: Pick<ReadFileParams, 'encoding'>;
  /** The bytes of an answer to a call with `readParams`. */
  bytesOf(content: string): Uint8Array;
  /** The text of an answer to a call without `readParams`. */
  textOf(content: string): string;
  /** The pieces to write first and append then: at least one. */
  piecesOf(content: string | Uint8Array): readonly ContentPiece[];
}

export function providerContent({ takesBase64 }: ProviderAbilities): ProviderContent {
  return takesBase64 ? BASE64 : TEXT_ONLY;
}

const BASE64: ProviderContent = {
  maxFileBytes: 44 * MEBIBYTE,
  readParams: { encoding: 'base64' },
  bytesOf: (content) => Buffer.from(content, 'base64'),
  textOf: (content) => content,
  /** Short text as text; everything else as base64, which can be cut anywhere. */
  piecesOf: (content) => {
    if (typeof content === 'string' && content.length * 3 <= MAX_PIECE_BYTES) return [{ content }];
    const bytes = Buffer.from(content);
    if (bytes.length * 3 <= MAX_PIECE_BYTES && isUtf8(bytes)) return [{ content: bytes.toString() }];
    const all: ContentPiece[] = [];
    for (let at = 0; at < bytes.length; at += MAX_PIECE_BYTES) {
      all.push({ content: bytes.subarray(at, at + MAX_PIECE_BYTES).toString('base64'), encoding: 'base64' });
    }
    return all;
  },
};

const TEXT_ONLY: ProviderContent = {
  // In JSON a character may take three times its bytes in UTF-8.
  maxFileBytes: 20 * MEBIBYTE,
  readParams: {},
  bytesOf: (content) => fromStoredText(content, NODE_BYTES),
  textOf: (content) => (isPlainStoredText(content) ? content : asText(fromStoredText(content, NODE_BYTES))),
  piecesOf: (content) => textPieces(toStoredText(content, NODE_BYTES)),
};

/** Never cut inside a surrogate pair: each piece is valid text. */
function textPieces(text: string): ContentPiece[] {
  const all: ContentPiece[] = [];
  for (let at = 0; at < text.length || at === 0; ) {
    const end = at + MAX_PIECE_LENGTH;
    const cut = isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length ? end - 1 : end;
    all.push({ content: text.slice(at, cut) });
    at = cut;
  }
  return all;
}

function asText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Conversion between bytes and text with Node's functions. */
export const NODE_BYTES: ByteTools = {
  decodeText: (bytes) => (isUtf8(bytes) ? asBuffer(bytes).toString('utf8') : undefined),
  encodeText: (text) => Buffer.from(text, 'utf8'),
  toBase64: (bytes) => asBuffer(bytes).toString('base64'),
  fromBase64: (text) => Buffer.from(text, 'base64'),
};

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
