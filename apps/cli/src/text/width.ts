import stringWidth from 'string-width';

let segmenter: Intl.Segmenter | undefined;

/** How many columns of a terminal plain text takes. */
export function textWidth(text: string): number {
  // Nearly all text: everything printable in ASCII is one column wide.
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  return stringWidth(text);
}

/** Cuts plain text to at most that many columns, with an ellipsis. */
export function fit(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes(text)) {
    width += stringWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return columns > 0 ? `${kept}…` : '';
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(columns - textWidth(text), 0));
}

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}
