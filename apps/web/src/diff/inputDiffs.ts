import { unifiedDiff } from './unifiedDiff.js';

export interface InputDiff {
  readonly path: string;
  /** In the unified format, without the names of the file. */
  readonly diff: string;
  readonly insertions: number;
  readonly deletions: number;
  /** It may be numbered from the start of a fragment: agents report parts of files without saying where they are. */
  readonly isFragment: boolean;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const HEADER =
  /^(?:diff --git |index |old mode |new mode |new file mode |deleted file mode |similarity index |rename |--- |\+\+\+ )/;

/**
 * The files of a tool call's input that is a diff: each is a path, or the headers of git, and then hunks. `undefined` if any line is
 * something else: what is asked about has to be shown completely.
 */
export function inputDiffs(input: string): readonly InputDiff[] | undefined {
  const files: { path: string; lines: string[] }[] = [];
  let [oldLeft, newLeft] = [0, 0];
  for (const line of input.replace(/\n+$/, '').split('\n')) {
    const file = files.at(-1);
    if (oldLeft > 0 || newLeft > 0 || line.startsWith('\\ ')) {
      if (!file || !/^[-+ \\]/.test(line || ' ')) return undefined;
      if (!line.startsWith('+') && !line.startsWith('\\')) oldLeft -= 1;
      if (!line.startsWith('-') && !line.startsWith('\\')) newLeft -= 1;
      if (oldLeft < 0 || newLeft < 0) return undefined;
      file.lines.push(line);
      continue;
    }
    const head = HUNK.exec(line);
    if (head) {
      if (!file) return undefined;
      oldLeft = Number(head[1] ?? 1);
      newLeft = Number(head[2] ?? 1);
      file.lines.push(line);
    } else if (HEADER.test(line)) {
      const named = /^(?:\+\+\+|---) (?:[ab]\/)?([^\t]+)/.exec(line)?.[1];
      const current = file && file.lines.length === 0 ? file : undefined;
      if (!current) files.push({ path: named ?? '', lines: [] });
      else if (named !== undefined && named !== '/dev/null') current.path = named;
    } else if (line.trim() !== '') files.push({ path: line, lines: [] });
  }
  const isComplete = oldLeft === 0 && newLeft === 0 && files.length > 0;
  if (!isComplete || files.some(({ path, lines }) => path === '' || lines.length === 0)) return undefined;
  return files.map(({ path, lines }) => {
    const diff = lines.join('\n');
    const hunks = unifiedDiff(diff);
    const all = hunks.flatMap((hunk) => hunk.lines);
    return {
      path,
      diff,
      insertions: all.filter(({ kind }) => kind === 'added').length,
      deletions: all.filter(({ kind }) => kind === 'removed').length,
      isFragment: hunks.length === 1 && (hunks[0]?.oldStart ?? 0) <= 1,
    };
  });
}
