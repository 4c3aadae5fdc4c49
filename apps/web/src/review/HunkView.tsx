import { Check, Undo2 } from 'lucide-react';
import { memo, type ReactNode, useMemo } from 'react';
import { piece } from '../diff/linePiece.js';
import { linePieces } from '../diff/linePieces.js';
import type { HunkColours } from '../diff/useDiffColours.js';
import { type MarkedText, wordMarks } from '../diff/wordMarks.js';
import { type LineRange, useReview } from './reviewContext.js';
import { type ReviewHunk, type ReviewLine, type ReviewRow, type Side, sideBySide } from './reviewLines.js';

/** Rows that are laid out together, when they are in sight. */
const BLOCK = 200;
/** More lines are not compared word by word. */
const MOST_MARKED = 4_000;

export interface Note {
  readonly side: Side;
  readonly line: number;
  readonly node: ReactNode;
}

interface HunkViewProps {
  readonly id: string;
  readonly path: string;
  readonly hunk: ReviewHunk;
  readonly index: number;
  readonly colours: HunkColours | undefined;
  readonly isCurrent: boolean;
  /** The line that the keys act on. */
  readonly cursor: number | undefined;
  readonly notes: readonly Note[];
}

/** A hunk: its bar, and its lines in either layout, with the comments under the lines that they are about. */
export function HunkView({ id, path, hunk, index, colours, isCurrent, cursor, notes }: HunkViewProps) {
  const { layout, selected, goTo } = useReview();
  const marks = useMemo(() => {
    if (hunk.lines.length <= MOST_MARKED) return wordMarks(hunk.lines);
    return hunk.lines.map(({ text }) => [{ text, marked: false }]);
  }, [hunk]);
  const rows = useMemo(() => {
    if (layout === 'sides') return sideBySide(hunk.lines);
    return hunk.lines.map((_, at) => ({ left: at, right: at }));
  }, [hunk, layout]);
  const blocks = [];
  for (let from = 0; from < rows.length; from += BLOCK) {
    const slice = rows.slice(from, from + BLOCK);
    const has = (at: number | undefined) =>
      slice.some(({ left, right }) => at !== undefined && (left === at || right === at));
    const own = notes.filter(({ side, line }) =>
      slice.some((row) => numberOf(hunk, side === 'old' ? row.left : row.right, side) === line),
    );
    const range = selected?.path === path ? selected : undefined;
    blocks.push(
      <Block
        key={from}
        hunk={hunk}
        rows={rows}
        from={from}
        marks={marks}
        colours={colours}
        isSides={layout === 'sides'}
        cursor={isCurrent && has(cursor) ? cursor : undefined}
        range={range}
        notes={own.length === 0 ? NO_NOTES : own}
      />,
    );
  }
  return (
    <section
      id={id}
      className={isCurrent ? 'rv-hunk current' : 'rv-hunk'}
      aria-label={`Change ${index + 1}, ${placeOf(hunk)}`}
      tabIndex={-1}
      onPointerDown={() => goTo({ path, hunk: index })}
    >
      <HunkBar path={path} hunk={hunk} />
      {blocks}
    </section>
  );
}

const NO_NOTES: readonly Note[] = [];

function HunkBar({ path, hunk }: { readonly path: string; readonly hunk: ReviewHunk }) {
  const { isNarrow, isAccepted, accept, revert, mayRevert, why, busyWith } = useReview();
  const busy = busyWith(path);
  const accepted = isAccepted(hunk);
  return (
    <div className="rv-h">
      <span>@@ {placeOf(hunk)}</span>
      {hunk.heading && <span className="clip">{hunk.heading}</span>}
      <span className="grow" />
      {busy !== undefined && <span className="why">{busy}</span>}
      {accepted ? (
        <>
          <span className="hst">
            <Check size={13} aria-hidden />
            Accepted
          </span>
          <button type="button" className="btn quiet sm" onClick={() => accept(hunk, false)}>
            Undo
          </button>
        </>
      ) : (
        busy === undefined && (
          <>
            <button
              type="button"
              className={isNarrow ? 'ib sm' : 'btn plain sm'}
              aria-label={isNarrow ? 'Accept' : undefined}
              title="A mark for you; changes no file"
              onClick={() => accept(hunk, true)}
            >
              <Check size={isNarrow ? 16 : 13} aria-hidden />
              {!isNarrow && (
                <>
                  Accept <kbd aria-hidden="true">A</kbd>
                </>
              )}
            </button>
            {mayRevert && (
              <button
                type="button"
                className={isNarrow ? 'ib sm' : 'btn plain sm'}
                aria-label={isNarrow ? 'Revert' : undefined}
                title={why ?? 'Writes these lines back as they were'}
                disabled={why !== undefined}
                onClick={() => revert(path, hunk)}
              >
                <Undo2 size={isNarrow ? 16 : 13} aria-hidden />
                {!isNarrow && (
                  <>
                    Revert <kbd aria-hidden="true">X</kbd>
                  </>
                )}
              </button>
            )}
          </>
        )
      )}
    </div>
  );
}

export function placeOf({ oldStart, oldLines, newStart, newLines }: ReviewHunk): string {
  const [start, lines] = newLines > 0 ? [newStart, newLines] : [oldStart, oldLines];
  return lines > 1 ? `${start}–${start + lines - 1}` : `${start}`;
}

interface BlockProps {
  readonly hunk: ReviewHunk;
  readonly rows: readonly ReviewRow[];
  readonly from: number;
  readonly marks: readonly (readonly MarkedText[])[];
  readonly colours: HunkColours | undefined;
  readonly isSides: boolean;
  readonly cursor: number | undefined;
  readonly range: LineRange | undefined;
  readonly notes: readonly Note[];
}

const Block = memo(function Block({ hunk, rows, from, marks, colours, isSides, cursor, range, notes }: BlockProps) {
  const { isNarrow } = useReview();
  const { lines } = hunk;
  const shown = rows.slice(from, from + BLOCK);
  const text = (at: number) => linePieces(marks[at] ?? [], colours?.[at]).map(piece);
  const under = (side: Side, number: number | undefined) =>
    number === undefined ? [] : notes.filter((note) => note.side === side && note.line === number);
  const isOn = (line: ReviewLine, at: number, side: Side) => {
    const number = side === 'old' ? line.oldNumber : line.newNumber;
    const isSelected = range?.side === side && number !== undefined && number >= range.line && number <= range.endLine;
    return isSelected || at === cursor || under(side, number).length > 0;
  };
  return (
    <div className="rv-block">
      {shown.map(({ left, right }, row) => {
        if (!isSides) {
          const line = lines[left ?? 0];
          if (!line || left === undefined) return null;
          const side = line.kind === 'removed' ? 'old' : 'new';
          const found = [...under(side, side === 'old' ? line.oldNumber : line.newNumber)];
          if (line.kind === 'same') found.push(...under('old', line.oldNumber));
          return (
            <div key={from + row}>
              <div
                className={`l${kindOf(line)}${isOn(line, left, side) ? ' on' : ''}${left === cursor ? ' at' : ''}`}
                data-at={left}
              >
                <i data-n={line.oldNumber === undefined ? undefined : `old:${line.oldNumber}`}>{line.oldNumber}</i>
                <i
                  data-n={
                    line.newNumber === undefined
                      ? isNarrow
                        ? `old:${line.oldNumber}`
                        : undefined
                      : `new:${line.newNumber}`
                  }
                >
                  {line.newNumber ?? (isNarrow ? line.oldNumber : undefined)}
                </i>
                <b>{signOf(line)}</b>
                <span>
                  {text(left)}
                  <Ends line={line} />
                </span>
              </div>
              {found.map(({ node }, note) => (
                <div key={note} className="nt">
                  {node}
                </div>
              ))}
            </div>
          );
        }
        const [before, after] = [
          left === undefined ? undefined : lines[left],
          right === undefined ? undefined : lines[right],
        ];
        const [old, now] = [under('old', before?.oldNumber), under('new', after?.newNumber)];
        return (
          <div key={from + row}>
            <div className="sbs">
              <Cell
                line={before}
                side="old"
                isOn={before !== undefined && isOn(before, left ?? -1, 'old') && before.kind === 'removed'}
                isAt={left === cursor && before?.kind === 'removed'}
              >
                {left !== undefined && text(left)}
              </Cell>
              <Cell
                line={after}
                side="new"
                isOn={after !== undefined && isOn(after, right ?? -1, 'new')}
                isAt={right === cursor}
              >
                {right !== undefined && text(right)}
              </Cell>
            </div>
            {(old.length > 0 || now.length > 0) && (
              <div className="sbs note">
                <Notes notes={old} />
                <Notes notes={now} />
              </div>
            )}
          </div>
        );
      })}
    </div>
  );
});

function Notes({ notes }: { readonly notes: readonly Note[] }) {
  if (notes.length === 0) return <div className="cl none" />;
  return (
    <div className="nt">
      {notes.map(({ node }, index) => (
        <div key={index}>{node}</div>
      ))}
    </div>
  );
}

interface CellProps {
  readonly line: ReviewLine | undefined;
  readonly side: Side;
  readonly isOn: boolean;
  readonly isAt: boolean;
  readonly children: ReactNode;
}

function Cell({ line, side, isOn, isAt, children }: CellProps) {
  if (!line) return <div className="cl none" />;
  const number = side === 'old' ? line.oldNumber : line.newNumber;
  return (
    <div className={`cl${kindOf(line)}${isOn ? ' on' : ''}${isAt ? ' at' : ''}`}>
      <i data-n={`${side}:${number}`}>{number}</i>
      <b>{signOf(line)}</b>
      <span>
        <span className="tx">
          {children}
          <Ends line={line} />
        </span>
      </span>
    </div>
  );
}

/** What can't be seen of a line's end. */
function Ends({ line: { hasReturn, noEnd } }: { readonly line: ReviewLine }) {
  return (
    <>
      {hasReturn && (
        <span className="eol" title="The line ends with CR LF">
          ␍
        </span>
      )}
      {noEnd && <span className="eol"> no line end at the end of the file</span>}
    </>
  );
}

function kindOf({ kind }: ReviewLine): string {
  return kind === 'added' ? ' add' : kind === 'removed' ? ' del' : '';
}

function signOf({ kind }: ReviewLine): string {
  return kind === 'added' ? '+' : kind === 'removed' ? '−' : '';
}

function numberOf(hunk: ReviewHunk, at: number | undefined, side: Side): number | undefined {
  const line = at === undefined ? undefined : hunk.lines[at];
  return side === 'old' ? line?.oldNumber : line?.newNumber;
}
