import { createRequire } from 'node:module';

/** Nearly all text: each of these characters is one column wide, and none of them joins another. */
const NARROW = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027]*$/;

let segmenter: Intl.Segmenter | undefined;
let widthOf: ((text: string) => number) | undefined;

/** How many columns of a terminal plain text takes. */
export function textWidth(text: string): number {
  return NARROW.test(text) ? text.length : wideTextWidth(text);
}

/** Cuts plain text to at most that many columns, with an ellipsis. */
export function fit(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns <= 0) return '';
  if (NARROW.test(text)) return `${text.slice(0, columns - 1)}…`;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes(text)) {
    width += textWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(columns - textWidth(text), 0));
}

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Loaded at the first text that needs it: string-width makes a segmenter, which takes a third of the time of `agenthost ls`. */
function wideTextWidth(text: string): number {
  widthOf ??= (createRequire(import.meta.url)('string-width') as typeof import('string-width')).default;
  return widthOf(text);
}
