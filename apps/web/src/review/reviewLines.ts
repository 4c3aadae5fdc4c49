import type { DiffHunk as HunkOnWire } from '@agenthost/protocol';
import type { DiffHunk, DiffLine } from '../diff/unifiedDiff.js';

export type Side = 'old' | 'new';

export interface ReviewLine extends DiffLine {
  /** The file ends here, without a line end. */
  readonly noEnd?: true;
  /** Its line end is CR LF, where that is part of the change. */
  readonly hasReturn?: true;
}

export interface ReviewHunk extends DiffHunk {
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly ReviewLine[];
  /** Of its content: a mark on it goes when it changes. */
  readonly key: string;
}

/** A hunk of the host; pages of one hunk are joined before. */
export function reviewHunk(
  path: string,
  { oldStart, oldLines, newStart, newLines, heading, lines }: HunkOnWire,
): ReviewHunk {
  const parsed: { -readonly [K in keyof ReviewLine]: ReviewLine[K] }[] = [];
  let [oldNumber, newNumber] = [oldStart, newStart];
  const changed = lines.filter((line) => /^[+-]/.test(line));
  const returns = changed.filter((line) => line.endsWith('\r')).length;
  const mixed = returns > 0 && returns < changed.length;
  for (const line of lines) {
    const last = parsed.at(-1);
    if (line.startsWith('\\')) {
      if (last) last.noEnd = true;
      continue;
    }
    const hasReturn = mixed && line.endsWith('\r') && !line.startsWith(' ') ? { hasReturn: true as const } : {};
    const text = line.slice(1).replace(/\r$/, '');
    if (line.startsWith('+')) parsed.push({ kind: 'added', text, newNumber: newNumber++, ...hasReturn });
    else if (line.startsWith('-')) parsed.push({ kind: 'removed', text, oldNumber: oldNumber++, ...hasReturn });
    else parsed.push({ kind: 'same', text, oldNumber: oldNumber++, newNumber: newNumber++ });
  }
  return {
    oldStart,
    oldLines,
    newStart,
    newLines,
    heading: heading ?? '',
    lines: parsed,
    key: `${path} ${hashOf(lines)}`,
  };
}

/** A hunk may go on in the next page. */
export function joinPages(before: readonly HunkOnWire[], next: readonly HunkOnWire[]): HunkOnWire[] {
  const [first, ...rest] = next;
  const last = before.at(-1);
  if (!first || !last || first.oldStart !== last.oldStart || first.newStart !== last.newStart)
    return [...before, ...next];
  return [...before.slice(0, -1), { ...last, lines: [...last.lines, ...first.lines] }, ...rest];
}

export interface ReviewRow {
  /** Places in the lines of the hunk. */
  readonly left: number | undefined;
  readonly right: number | undefined;
}

/** The rows of a hunk with both sides beside each other: the lines of a change in order, and nothing where a side has no more. */
export function sideBySide(lines: readonly DiffLine[]): ReviewRow[] {
  const rows: ReviewRow[] = [];
  for (let at = 0; at < lines.length; ) {
    if (lines[at]?.kind === 'same') {
      rows.push({ left: at, right: at });
      at += 1;
      continue;
    }
    const removed: number[] = [];
    const added: number[] = [];
    for (; lines[at]?.kind === 'removed'; at += 1) removed.push(at);
    for (; lines[at]?.kind === 'added'; at += 1) added.push(at);
    for (let row = 0; row < Math.max(removed.length, added.length); row += 1)
      rows.push({ left: removed[row], right: added[row] });
  }
  return rows;
}

/** How many columns the longest line takes, with tabs at every fourth. */
export function longestLine(hunks: readonly ReviewHunk[]): number {
  let longest = 0;
  for (const { lines } of hunks) for (const { text } of lines) longest = Math.max(longest, columns(text));
  return longest;
}

function columns(text: string): number {
  // Without tabs and wide characters, which is nearly always, its length is enough.
  if (!/[\t\u1100-\uffff]/.test(text)) return text.length;
  let count = 0;
  for (const character of text)
    count += character === '\t' ? 4 - (count % 4) : /[\u1100-\u{3ffff}]/u.test(character) ? 2 : 1;
  return count;
}

/** For marks on this device only: a collision would show one accepted hunk too many. */
function hashOf(lines: readonly string[]): string {
  let [a, b] = [0x811c9dc5, 0x1b873593];
  for (const line of lines)
    for (let index = 0; index <= line.length; index += 1) {
      const code = index === line.length ? 10 : line.charCodeAt(index);
      a = Math.imul(a ^ code, 0x01000193);
      b = Math.imul(b ^ code, 0x85ebca6b) ^ (b >>> 13);
    }
  return `${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}.${lines.length}`;
}

const GENERATED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Gemfile\.lock|composer\.lock|go\.sum|flake\.lock)$|\.(?:min\.(?:js|css)|map|snap|pb\.go|g\.dart|generated\.\w+)$|(?:^|\/)(?:dist|generated|__generated__|vendor|node_modules)\//;

/** Written by a program, as far as its name says. */
export function isGenerated(path: string): boolean {
  return GENERATED.test(path);
}
