/** JSON as editors write it, with comments and trailing commas. Parsed in one pass, because the text may be hostile. */
export function parseJsonWithComments(text: string): unknown {
  const kept: string[] = [];
  /** Position in `kept` of a comma that only space has followed so far. */
  let comma: number | undefined;
  for (let at = 0; at < text.length; ) {
    const end = endOfToken(text, at);
    const token = text.slice(at, end);
    at = end;
    if (token.startsWith('//') || token.startsWith('/*')) continue;
    if ((token === '}' || token === ']') && comma !== undefined) kept[comma] = ' ';
    if (token === ',') comma = kept.length;
    else if (token.trim() !== '') comma = undefined;
    kept.push(token);
  }
  return JSON.parse(kept.join(''));
}

/** The end of a string, a comment, one sign, or a run of other characters. */
function endOfToken(text: string, at: number): number {
  const pair = text.slice(at, at + 2);
  if (pair === '//') return orEnd(text, text.indexOf('\n', at));
  if (pair === '/*') return orEnd(text, text.indexOf('*/', at + 2), 2);
  const first = text[at];
  if (first === '"') return endOfString(text, at);
  if (first !== undefined && '{}[],:/'.includes(first)) return at + 1;
  let end = at + 1;
  while (end < text.length && !'"{}[],:/'.includes(text[end] ?? '')) end++;
  return end;
}

function endOfString(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end + 1;
}

function orEnd(text: string, found: number, length = 0): number {
  return found < 0 ? text.length : found + length;
}
