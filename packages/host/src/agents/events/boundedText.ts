/** Keeps the first and the last bytes of a text that is longer than the limit, with a note about the missing middle. */
export function headAndTail(text: string, maxBytes: number): string {
  // The cheap test first: no code unit takes more than three bytes.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const half = Math.floor(maxBytes / 2);
  const headEnd = characterStart(bytes, half);
  const tailStart = characterStart(bytes, bytes.length - half);
  const omitted = `\n… ${(tailStart - headEnd).toLocaleString('en')} bytes omitted …\n`;
  return bytes.toString('utf8', 0, headEnd) + omitted + bytes.toString('utf8', tailStart);
}

/** The start of the UTF-8 character that the position is in. */
function characterStart(bytes: Buffer, position: number): number {
  let start = position;
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}

/** One line without control characters, cut with an ellipsis: for titles and the like. */
export function oneLine(text: string, maxLength: number): string {
  // Cut first: an agent's "title" may be megabytes.
  const line = text
    .slice(0, maxLength * 4)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Cuts a text into pieces of at most `maxLength` code units, never inside a surrogate pair. */
export function* pieces(text: string, maxLength: number): Generator<string> {
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + maxLength, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    yield text.slice(start, end);
    start = end;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
