/**
 * Bytes as text, for a file system that keeps text alone. Text stays as it is. What is no UTF-8 becomes base64 between two
 * SUBSTITUTE characters (U+001A); so does text that has such a character, so that every one of them in a file is a mark of ours.
 * A mark is one character, so a file can be written in pieces: what is stored is what was stored of each piece.
 *
 * JSON escapes U+001A. A log, which is JSON, therefore always stays plain text.
 */
const MARK = '\u001a';
const LABEL = 'base64,';

/** What the platform has for bytes; this package has none of it. */
export interface ByteTools {
  /** `undefined` for bytes that are no UTF-8. A byte order mark stays. */
  decodeText(bytes: Uint8Array): string | undefined;
  /** With a replacement character for each half of a surrogate pair. */
  encodeText(text: string): Uint8Array;
  toBase64(bytes: Uint8Array): string;
  fromBase64(text: string): Uint8Array;
}

/** The text to store for these bytes, or for this text. */
export function toStoredText(content: string | Uint8Array, tools: ByteTools): string {
  if (typeof content === 'string') {
    return content.includes(MARK) ? marked(tools.encodeText(content), tools) : content.toWellFormed();
  }
  const whole = plainText(content, tools);
  if (whole !== undefined) return whole;
  // A piece of a text may begin or end inside of a character.
  const [start, end] = characterBounds(content);
  const middle = plainText(content.subarray(start, end), tools);
  if (middle === undefined) return marked(content, tools);
  return marked(content.subarray(0, start), tools) + middle + marked(content.subarray(end), tools);
}

/** The bytes that a stored text stands for. A mark that nobody here can have made is taken as it stands. */
export function fromStoredText(text: string, tools: ByteTools): Uint8Array {
  if (!text.includes(MARK)) return tools.encodeText(text);
  const pieces: Uint8Array[] = [];
  let plainFrom = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the mark is one
  for (const { index, 0: found, 1: encoded = '' } of text.matchAll(/\u001abase64,([A-Za-z0-9+/]*={0,2})\u001a/g)) {
    if (encoded.length % 4 !== 0) continue;
    pieces.push(tools.encodeText(text.slice(plainFrom, index)), tools.fromBase64(encoded));
    plainFrom = index + found.length;
  }
  pieces.push(tools.encodeText(text.slice(plainFrom)));
  return concatenated(pieces);
}

/** Whether `fromStoredText` gives just the text itself. */
export function isPlainStoredText(text: string): boolean {
  return !text.includes(MARK);
}

function plainText(bytes: Uint8Array, tools: ByteTools): string | undefined {
  const text = tools.decodeText(bytes);
  return text?.includes(MARK) ? undefined : text;
}

function marked(bytes: Uint8Array, tools: ByteTools): string {
  return bytes.length === 0 ? '' : `${MARK}${LABEL}${tools.toBase64(bytes)}${MARK}`;
}

/** Where the first character begins, and where the last whole one ends. */
function characterBounds(bytes: Uint8Array): [start: number, end: number] {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  for (let back = 1; back <= 3 && bytes.length - back >= start; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return [start, needed > back ? bytes.length - back : bytes.length];
  }
  return [start, bytes.length];
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function concatenated(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
