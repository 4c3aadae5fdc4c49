const known = new WeakMap<object, number>();

/**
 * How many bytes the value takes as JSON. Counted without making that text, which would be garbage of the same size, and
 * remembered, because nothing in a state ever changes: for the value itself and for what its lists have, the parts of a turn say,
 * of which a snapshot may show only some.
 */
export function jsonBytes(value: object): number {
  const bytes = known.get(value) ?? bytesOf(value);
  known.set(value, bytes);
  return bytes;
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return textBytes(value);
  if (!isObject(value)) return String(value).length;
  if (Array.isArray(value)) return listBytes(value);
  let bytes = 1;
  for (const [key, inner] of Object.entries(value)) {
    // Keys are short and plain, but for those that are ids.
    if (inner !== undefined) bytes += textBytes(key) + 2 + bytesOf(inner);
  }
  return Math.max(bytes, 2);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function listBytes(list: readonly unknown[]): number {
  let bytes = 1;
  for (const entry of list) bytes += (isObject(entry) ? jsonBytes(entry) : bytesOf(entry)) + 1;
  return Math.max(bytes, 2);
}

/** With its quotes, in UTF-8. */
function textBytes(text: string): number {
  let bytes = text.length + 2;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) {
      if (code < 0x20) bytes += isShort(code) ? 1 : 5;
      else if (code === 0x22 || code === 0x5c) bytes += 1;
    } else if (code < 0x800) bytes += 1;
    else if (code < 0xd800 || code > 0xdfff) bytes += 2;
    else if (isPair(code, text.charCodeAt(at + 1))) {
      bytes += 2;
      at++;
    } else bytes += 5;
  }
  return bytes;
}

/** Backspace, tab, new line, form feed, return: a backslash and a letter. */
function isShort(code: number): boolean {
  return code >= 8 && code <= 13 && code !== 11;
}

function isPair(high: number, low: number): boolean {
  return high < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
}
