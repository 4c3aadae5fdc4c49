import type { HighlightedLine } from '../markdown/highlight.js';
import type { MarkedText } from './wordMarks.js';

export interface LinePiece {
  readonly text: string;
  readonly marked: boolean;
  readonly color: string | undefined;
}

/** A line cut wherever a mark or a colour begins or ends. */
export function linePieces(marks: readonly MarkedText[], colours: HighlightedLine | undefined): LinePiece[] {
  const whole = marks.map(({ text }) => text).join('');
  // The coloured text differs: misplaced colours are worse than none.
  const spans = colours?.map(({ text }) => text).join('') === whole ? colours : undefined;
  if (!spans) return marks.map((part) => ({ ...part, color: undefined }));
  const pieces: LinePiece[] = [];
  let [span, used] = [0, 0];
  for (const { text, marked } of marks) {
    for (let from = 0; from < text.length; ) {
      const current = spans[span];
      const taken = Math.min((current?.text.length ?? 0) - used, text.length - from);
      if (taken > 0) pieces.push({ text: text.slice(from, from + taken), marked, color: current?.color });
      from += taken;
      used += taken;
      if (used === (current?.text.length ?? 0)) [span, used] = [span + 1, 0];
    }
  }
  return pieces;
}
