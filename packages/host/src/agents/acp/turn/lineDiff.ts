import { type StructuredPatchHunk, structuredPatch } from 'diff';

export interface LineDiff {
  readonly insertions: number;
  readonly deletions: number;
  /** In the unified format, without the file names. */
  readonly text: string;
}

const CONTEXT_LINES = 3;
/** The time that a comparison takes grows with the square of the changed lines. Beyond this, everything that differs counts as replaced. */
const MAX_EDITS = 400;

/** Compares two texts line by line. */
export function lineDiff(before: string, after: string): LineDiff {
  const [from, to] = [withLastBreak(before), withLastBreak(after)];
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const hunks = structuredPatch('', '', from, to, '', '', options)?.hunks ?? [replacement(from, to)];
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    insertions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
    text: hunks.map(hunkText).join(''),
  };
}

/** The diff doesn't show whether the last line ends with a line break. */
function withLastBreak(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** One hunk, from the first line that differs to the last. */
function replacement(before: string, after: string): StructuredPatchHunk {
  const [from, to] = [before, after].map((text) => text.split('\n').slice(0, -1)) as [string[], string[]];
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start++;
  let end = 0;
  while (end < shorter - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  const [removed, added] = [from.slice(start, from.length - end), to.slice(start, to.length - end)];
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
  return { oldStart: start + 1, oldLines: removed.length, newStart: start + 1, newLines: added.length, lines };
}

function hunkText({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): string {
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${lines.join('\n')}\n`;
}

/** Without lines, the unified format names the line before. */
function range(start: number, lines: number): string {
  return lines === 0 ? `${start - 1},0` : `${start},${lines}`;
}
