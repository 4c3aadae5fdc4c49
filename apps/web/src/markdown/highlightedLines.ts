export interface HighlightedSpan {
  readonly text: string;
  readonly color: string | undefined;
}

export type HighlightedLine = readonly HighlightedSpan[];

interface Token {
  readonly content: string;
  readonly color?: string;
}

/** Each span is an element of the page. */
const MOST_SPANS = 4_000;

/** Neighbours of one colour are one span; after too many spans the rest is plain. */
export function boundedTokens(lines: readonly (readonly Token[])[], most = MOST_SPANS): HighlightedLine[] {
  let left = most;
  return lines.map((tokens) => {
    const line = left > 0 ? merged(tokens) : [];
    left -= line.length;
    if (left >= 0 && line.length > 0) return line;
    const text = tokens.map(({ content }) => content).join('');
    return text === '' ? [] : [{ text, color: undefined }];
  });
}

function merged(tokens: readonly Token[]): HighlightedSpan[] {
  const spans: HighlightedSpan[] = [];
  for (const { content, color } of tokens) {
    const last = spans.at(-1);
    // White space shows no colour.
    if (last && (last.color === color || content.trim() === ''))
      spans[spans.length - 1] = { text: last.text + content, color: last.color };
    else spans.push({ text: content, color });
  }
  return spans;
}
