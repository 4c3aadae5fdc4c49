import { memo, useMemo, useState } from 'react';
import { piece } from './linePiece.js';
import { linePieces } from './linePieces.js';
import { type DiffHunk, unifiedDiff } from './unifiedDiff.js';
import { type HunkColours, useDiffColours } from './useDiffColours.js';
import { wordMarks } from './wordMarks.js';

const FIRST_LINES = 400;

interface DiffViewProps {
  readonly diff: string;
  readonly path: string;
  /** How many lines are shown at first. */
  readonly first?: number;
  /** Its line numbers may be wrong, and are not shown. */
  readonly isFragment?: boolean;
}

/** A unified diff of one file, with both line numbers and the changed words marked. */
export const DiffView = memo(function DiffView({ diff, path, first = FIRST_LINES, isFragment = false }: DiffViewProps) {
  const hunks = useMemo(() => unifiedDiff(diff), [diff]);
  const [all, setAll] = useState(false);
  const total = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const shown = useMemo(() => (all ? hunks : firstLines(hunks, first)), [all, hunks, first]);
  const colours = useDiffColours(shown, path);
  return (
    <>
      <div
        className={isFragment ? 'diff fragment' : 'diff'}
        tabIndex={0}
        role="region"
        aria-label={`Changes of ${path}`}
      >
        {shown.map((hunk) => (
          <Hunk key={`${hunk.oldStart}:${hunk.lines[0]?.newNumber ?? 0}`} hunk={hunk} colours={colours.get(hunk)} />
        ))}
      </div>
      {!all && total > first && (
        <div className="more">
          <span>
            {first} of {total.toLocaleString()} lines
          </span>
          <button type="button" className="btn quiet sm" onClick={() => setAll(true)}>
            Show all {total.toLocaleString()}
          </button>
        </div>
      )}
    </>
  );
});

function Hunk({ hunk, colours }: { readonly hunk: DiffHunk; readonly colours: HunkColours | undefined }) {
  const marks = useMemo(() => wordMarks(hunk.lines), [hunk]);
  const last = hunk.oldStart + Math.max(0, hunk.oldLines - 1);
  return (
    <>
      <div className="hunk">
        <span>
          @@ {hunk.oldStart}
          {last > hunk.oldStart && `–${last}`}
        </span>
        {hunk.heading && <span className="clip">{hunk.heading}</span>}
      </div>
      {hunk.lines.map((line, index) => (
        <div key={index} className={line.kind === 'added' ? 'l add' : line.kind === 'removed' ? 'l del' : 'l'}>
          <i>{line.oldNumber}</i>
          <i>{line.newNumber}</i>
          <b>{line.kind === 'added' ? '+' : line.kind === 'removed' ? '−' : ''}</b>
          <span>{linePieces(marks[index] ?? [], colours?.[index]).map(piece)}</span>
        </div>
      ))}
    </>
  );
}

function firstLines(hunks: readonly DiffHunk[], most: number): DiffHunk[] {
  const shown: DiffHunk[] = [];
  let left = most;
  for (const hunk of hunks) {
    if (left <= 0) break;
    shown.push(hunk.lines.length <= left ? hunk : { ...hunk, lines: hunk.lines.slice(0, left) });
    left -= hunk.lines.length;
  }
  return shown;
}
