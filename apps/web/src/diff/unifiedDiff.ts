export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
  readonly oldNumber?: number;
  readonly newNumber?: number;
}

export interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  /** The text that git writes after the numbers: the function around the change. */
  readonly heading: string;
  readonly lines: readonly DiffLine[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** The hunks of one file's unified diff. Other lines (headers, "\ No newline at end of file") are left out. */
export function unifiedDiff(diff: string): DiffHunk[] {
  const hunks: (DiffHunk & { lines: DiffLine[] })[] = [];
  let current: (DiffHunk & { lines: DiffLine[] }) | undefined;
  let oldNumber = 0;
  let newNumber = 0;
  let oldLeft = 0;
  let newLeft = 0;
  for (const raw of diff.split('\n')) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    const head = HUNK.exec(line);
    if (head && oldLeft <= 0 && newLeft <= 0) {
      oldNumber = Number(head[1]);
      newNumber = Number(head[3]);
      oldLeft = Number(head[2] ?? 1);
      newLeft = Number(head[4] ?? 1);
      current = { oldStart: oldNumber, oldLines: oldLeft, heading: head[5] ?? '', lines: [] };
      hunks.push(current);
      continue;
    }
    if (!current || (oldLeft <= 0 && newLeft <= 0) || line.startsWith('\\')) continue;
    const text = line.slice(1);
    if (line.startsWith('+')) {
      current.lines.push({ kind: 'added', text, newNumber });
      newNumber += 1;
      newLeft -= 1;
    } else if (line.startsWith('-')) {
      current.lines.push({ kind: 'removed', text, oldNumber });
      oldNumber += 1;
      oldLeft -= 1;
    } else {
      current.lines.push({ kind: 'same', text, oldNumber, newNumber });
      oldNumber += 1;
      newNumber += 1;
      oldLeft -= 1;
      newLeft -= 1;
    }
  }
  return hunks;
}
