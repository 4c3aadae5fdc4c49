import { diffWordsWithSpace } from 'diff';
import { pairLines } from './pairLines.js';
import type { DiffLine } from './unifiedDiff.js';

export interface MarkedText {
  readonly text: string;
  readonly marked: boolean;
}

const LONGEST_LINE = 500;

/** The text of each line of a hunk in pieces, marked where a removed line and its replacement differ. */
export function wordMarks(lines: readonly DiffLine[]): (readonly MarkedText[])[] {
  const marks: (readonly MarkedText[])[] = lines.map(({ text }) => [{ text, marked: false }]);
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, 'removed');
    const added = run(lines, at + removed, 'added');
    const texts = lines.slice(at, at + removed + added).map(({ text }) => text);
    for (const [before, after] of pairLines(texts.slice(0, removed), texts.slice(removed)))
      markPair(lines, marks, at + before, at + removed + after);
    at += removed + added || 1;
  }
  return marks;
}

function run(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let length = 0;
  while (lines[from + length]?.kind === kind) length += 1;
  return length;
}

function markPair(lines: readonly DiffLine[], marks: (readonly MarkedText[])[], before: number, after: number): void {
  const old = lines[before]?.text ?? '';
  const now = lines[after]?.text ?? '';
  if (old.length > LONGEST_LINE || now.length > LONGEST_LINE) return;
  const pieces = diffWordsWithSpace(old, now);
  const same = pieces
    .filter((piece) => !piece.added && !piece.removed)
    .reduce((sum, { value }) => sum + value.trim().length, 0);
  // Lines that share next to nothing are different lines, and marks all over them say nothing.
  if (same * 3 < Math.min(old.trim().length, now.trim().length)) return;
  marks[before] = joined(
    pieces.filter((piece) => !piece.added).map(({ value, removed }) => ({ text: value, marked: removed })),
  );
  marks[after] = joined(
    pieces.filter((piece) => !piece.removed).map(({ value, added }) => ({ text: value, marked: added })),
  );
}

/** Marks with only space between them are one. */
function joined(parts: readonly MarkedText[]): MarkedText[] {
  const all: MarkedText[] = [];
  for (const [index, part] of parts.entries()) {
    const between = part.text.trim() === '' && parts[index - 1]?.marked === true && parts[index + 1]?.marked === true;
    const marked = part.marked || between;
    const last = all.at(-1);
    if (last?.marked === marked) all[all.length - 1] = { text: last.text + part.text, marked };
    else all.push({ text: part.text, marked });
  }
  return all;
}
