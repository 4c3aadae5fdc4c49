const [QUOTE, COMMA, COLON, BACKSLASH, BRACKET, BRACE] = [34, 44, 58, 92, 91, 123];

/**
 * How many values a JSON text has, nested ones included; looks no further once there are more than `most`. Keys count as values,
 * and each list and object counts for two more: that is about what they cost to parse and to check.
 */
export function jsonValues(text: string, most = Number.POSITIVE_INFINITY): number {
  let values = 1;
  for (let at = 0; at < text.length && values <= most; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === COMMA || code === COLON) values++;
    else if (code === BRACKET || code === BRACE) values += 2;
  }
  return values;
}

export function exceedsJsonValues(text: string, most: number): boolean {
  // Each of them has a character of its own.
  return text.length > most && jsonValues(text, most) > most;
}

/** Where the quote is that ends what begins with a quote. */
function endOfText(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  if (end < 0) return text.length;
  if (text.charCodeAt(end - 1) !== BACKSLASH) return end;
  // Character by character from here on: looking for each of very many escaped quotes would take longer.
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}
