import { crc32 } from 'node:zlib';

// A line is `<head>,"crc":"xxxxxxxx"}`: the checksum (CRC-32, eight lower-case hex digits) covers the bytes of <head>, which
// is everything before it. A reader checks it on the raw text.

const CRC_LENGTH = ',"crc":"xxxxxxxx"}'.length;

export interface CheckedLine {
  readonly value: unknown;
  /** The checksum in the line. */
  readonly crc: string;
}

/** `head` is the JSON of an object without its last brace. */
export function sealLine(head: string): string {
  return `${head},"crc":"${checksum(head)}"}\n`;
}

/** `undefined` for anything that isn't one complete line, without its end. */
export function unsealLine(line: string): CheckedLine | undefined {
  const split = line.length - CRC_LENGTH;
  if (split <= 0) return undefined;
  const head = line.slice(0, split);
  const crc = checksum(head);
  if (line.slice(split) !== `,"crc":"${crc}"}`) return undefined;
  try {
    return { value: JSON.parse(`${head}}`), crc };
  } catch {
    return undefined;
  }
}

function checksum(text: string): string {
  return digits(crc32(text));
}

const BYTE_DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** A checksum as text. `toString(16)` is ten times slower, and every envelope has one. */
export function digits(crc: number): string {
  return `${BYTE_DIGITS[crc >>> 24]}${BYTE_DIGITS[(crc >>> 16) & 255]}${BYTE_DIGITS[(crc >>> 8) & 255]}${BYTE_DIGITS[crc & 255]}`;
}
