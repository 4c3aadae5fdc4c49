export interface LineDiff {
  readonly insertions: number;
  readonly deletions: number;
  /** In the unified format, without the file names. */
  readonly text: string;
}

interface Line {
  readonly kind: ' ' | '-' | '+';
  readonly text: string;
}

const CONTEXT_LINES = 3;
/** Cells of the table that finds what two texts have in common; beyond it, all of the changed part counts as replaced. */
const MAX_TABLE_CELLS = 4_000_000;

/** Which lines of a text went and which came. */
export function lineDiff(before: string, after: string): LineDiff {
  const lines = compare(linesOf(before), linesOf(after));
  return {
    insertions: lines.filter(({ kind }) => kind === '+').length,
    deletions: lines.filter(({ kind }) => kind === '-').length,
    text: hunks(lines),
  };
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function compare(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const longest = Math.min(before.length, after.length) - start;
  while (end < longest && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const same = (lines: readonly string[]): Line[] => lines.map((text) => ({ kind: ' ', text }));
  return [
    ...same(before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

/** By the longest common subsequence; removed lines stand before those that take their place. */
function middle(before: readonly string[], after: readonly string[]): Line[] {
  const width = after.length + 1;
  if ((before.length + 1) * width > MAX_TABLE_CELLS) return [...removed(before), ...added(after)];
  const table = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      table[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push({ kind: ' ', text: before[i] ?? '' });
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push({ kind: '-', text: before[i++] ?? '' });
    else lines.push({ kind: '+', text: after[j++] ?? '' });
  }
  return [...lines, ...removed(before.slice(i)), ...added(after.slice(j))];
}

function removed(lines: readonly string[]): Line[] {
  return lines.map((text) => ({ kind: '-', text }));
}

function added(lines: readonly string[]): Line[] {
  return lines.map((text) => ({ kind: '+', text }));
}

function hunks(lines: readonly Line[]): string {
  const shown = new Set<number>();
  lines.forEach(({ kind }, index) => {
    if (kind === ' ') return;
    for (let near = index - CONTEXT_LINES; near <= index + CONTEXT_LINES; near++) shown.add(near);
  });
  const texts: string[] = [];
  let [beforeLine, afterLine] = [1, 1];
  for (let index = 0; index < lines.length; ) {
    if (!shown.has(index)) {
      beforeLine++;
      afterLine++;
      index++;
      continue;
    }
    const [fromBefore, fromAfter, body] = [beforeLine, afterLine, [] as string[]];
    for (let line = lines[index]; line && shown.has(index); line = lines[++index]) {
      body.push(line.kind + line.text);
      if (line.kind !== '+') beforeLine++;
      if (line.kind !== '-') afterLine++;
    }
    texts.push(`@@ -${range(fromBefore, beforeLine)} +${range(fromAfter, afterLine)} @@`, ...body);
  }
  return texts.length === 0 ? '' : `${texts.join('\n')}\n`;
}

/** As diff does it: where there are no lines, the number of the line before. */
function range(from: number, to: number): string {
  return to === from ? `${from - 1},0` : `${from},${to - from}`;
}
