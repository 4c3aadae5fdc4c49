import type { ChangedFile, ListChangesResult, SessionState } from '@agenthost/protocol';
import { ChevronDown, ChevronRight, Ellipsis } from 'lucide-react';
import { type CSSProperties, memo, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { bytes } from '../conversation/times.js';
import { useDiffColours } from '../diff/useDiffColours.js';
import { Menu } from '../overlays/Menu.js';
import { DraftBox, Thread } from './Comments.js';
import { isStillThere } from './commentThreads.js';
import { FileDelta } from './FileList.js';
import { fileName, folderName } from './folders.js';
import { HunkView, type Note } from './HunkView.js';
import { type ReviewPlace, useReview } from './reviewContext.js';
import { isGenerated, longestLine, type ReviewHunk } from './reviewLines.js';
import type { ChangeLists } from './useChanges.js';
import { useFileDiff } from './useFileDiff.js';
import { useLineDrag } from './useLineDrag.js';

export const LARGE_LINES = 2_000;

interface FileViewProps {
  readonly id: string;
  readonly changes: ChangeLists;
  readonly list: ListChangesResult;
  readonly file: ChangedFile;
  readonly state: SessionState | undefined;
  readonly icon: string | undefined;
  readonly isViewed: boolean;
  /** The choice of the reviewer; without one, large, generated and viewed files are folded. */
  readonly isOpen: boolean | undefined;
  /** The part of the place that is in this file. */
  readonly place: ReviewPlace | undefined;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onViewed: (isViewed: boolean) => void;
  readonly onHunks: (path: string, hunks: readonly ReviewHunk[]) => void;
}

/** One file of the review: its bar, and its changes when it is in sight. */
export const FileView = memo(function FileView(props: FileViewProps) {
  const { id, changes, list, file, isViewed, isOpen, onOpen, onViewed } = props;
  const { isNarrow, mayRevert, revert, busyWith, why } = useReview();
  const folded = foldReason(file);
  const open = isOpen ?? (folded === undefined && !isViewed);
  const element = useRef<HTMLElement>(null);
  const isNear = useNear(element);
  const busy = busyWith(file.path);
  return (
    <article ref={element} id={id} className="rv-f" aria-label={file.path} tabIndex={-1}>
      {!isNarrow && (
        <div className="rv-fh">
          <button
            type="button"
            className="ib sm"
            aria-label={open ? 'Fold file' : 'Unfold file'}
            aria-expanded={open}
            onClick={() => onOpen(!open)}
          >
            {open ? <ChevronDown size={15} aria-hidden /> : <ChevronRight size={15} aria-hidden />}
          </button>
          <span className="mono clip" title={file.path}>
            {file.oldPath !== undefined && <s className="dim">{file.oldPath}</s>} {/* Both names of a renamed file. */}
            <span className="dim">{folderName(file.path)}</span>
            {fileName(file.path)}
          </span>
          <FileDelta file={file} />
          <span className="grow" />
          <label className="vbox">
            <input type="checkbox" checked={isViewed} onChange={(event) => onViewed(event.target.checked)} />
            Viewed
          </label>
          <Menu
            label="File actions"
            className="ib sm"
            items={[
              { label: 'Copy path', choose: () => void navigator.clipboard.writeText(file.path).catch(() => {}) },
              ...(mayRevert && file.kind !== 'submodule'
                ? [
                    {
                      label: 'Revert the file',
                      danger: true,
                      disabledReason: why ?? busy,
                      choose: () => revert(file.path),
                    },
                  ]
                : []),
            ]}
          >
            <Ellipsis size={15} aria-hidden />
          </Menu>
        </div>
      )}
      {open ? (
        <FileBody {...props} isNear={isNear} />
      ) : (
        folded !== undefined && (
          <div className="rv-say">
            {folded}{' '}
            <button type="button" className="btn quiet sm" onClick={() => onOpen(true)}>
              Show
            </button>
          </div>
        )
      )}
      {changes.isReported && list.files[0] === file && (
        <div className="rv-say">Without git, these are the changes that the agent reported.</div>
      )}
    </article>
  );
});

/** Why it starts folded. */
export function foldReason(file: ChangedFile): string | undefined {
  const lines = (file.additions ?? 0) + (file.deletions ?? 0);
  if (lines > LARGE_LINES) return `Large file, ${lines.toLocaleString('en')} lines.`;
  return isGenerated(file.path) ? `Generated file, ${lines.toLocaleString('en')} lines.` : undefined;
}

function FileBody(props: FileViewProps & { readonly isNear: boolean }) {
  const { changes, list, file, state, icon, place, onHunks, isNear, id } = props;
  const { layout, threadsOf, draft } = useReview();
  const { diff, problem } = useFileDiff(changes, list, file, isNear);
  const hunks = diff?.hunks ?? NONE;
  const colours = useDiffColours(hunks, file.path);
  const body = useRef<HTMLDivElement>(null);
  const drag = useLineDrag(file.path, hunks, body);
  useEffect(() => onHunks(file.path, hunks), [onHunks, file.path, hunks]);
  const longest = useMemo(() => longestLine(hunks), [hunks]);
  const threads = threadsOf(file.path);
  const [inPlace, gone] = useMemo(() => {
    const placed = threads.map((thread) => ({ thread, isThere: isStillThere(thread, hunks) }));
    return [placed.filter(({ isThere }) => isThere), placed.filter(({ isThere }) => !isThere)];
  }, [threads, hunks]);
  const isDrafting = draft?.path === file.path;
  const current = place && Math.min(place.hunk, hunks.length - 1);
  const notesOf = (hunk: ReviewHunk): readonly Note[] => {
    const has = (side: 'old' | 'new', line: number) =>
      hunk.lines.some(({ oldNumber, newNumber }) => (side === 'old' ? oldNumber : newNumber) === line);
    const notes: Note[] = inPlace
      .filter(({ thread }) => has(thread.side, thread.endLine))
      .map(({ thread }) => ({
        side: thread.side,
        line: thread.endLine,
        node: <Thread thread={thread} state={state} icon={icon} isOutdated={false} />,
      }));
    if (isDrafting && has(draft.side, draft.endLine))
      notes.push({ side: draft.side, line: draft.endLine, node: <DraftBox draft={draft} /> });
    return notes;
  };
  const isDraftShown = isDrafting && hunks.some((hunk) => notesOf(hunk).some(({ line }) => line === draft.endLine));
  if (problem !== undefined && !diff)
    return (
      <div className="rv-say bad" role="alert">
        {problem}
      </div>
    );
  if (!diff) return <div className="rv-wait" aria-busy="true" />;
  return (
    <div
      ref={body}
      className={layout === 'sides' ? 'diff2' : 'diff2 diff uni'}
      style={{ '--columns': longest } as CSSProperties}
      {...(layout === 'unified' && { tabIndex: 0, role: 'region', 'aria-label': `Changes of ${file.path}` })}
      {...drag}
    >
      {(gone.length > 0 || (isDrafting && !isDraftShown)) && (
        <div className="rv-gone">
          {gone.map(({ thread }) => (
            <Thread key={thread.comments[0]?.id} thread={thread} state={state} icon={icon} isOutdated />
          ))}
          {isDrafting && !isDraftShown && <DraftBox draft={draft} />}
        </div>
      )}
      {diff.kind !== 'text' && diff.kind !== 'link' && diff.kind !== 'submodule' && (
        <div className="rv-say">{binaryText(diff.kind, diff.oldSize, diff.newSize)}</div>
      )}
      {diff.hunks.length === 0 && diff.kind === 'text' && (
        <div className="rv-say">
          {file.status === 'R'
            ? 'Renamed; its content is the same.'
            : changes.isReported
              ? 'The agent gave no differences of this file.'
              : 'No line differs: it is empty, or only its mode has changed.'}
        </div>
      )}
      {hunks.map((hunk, index) => (
        <HunkView
          key={`${hunk.oldStart} ${hunk.newStart} ${index}`}
          id={`${id}-${index}`}
          path={file.path}
          hunk={hunk}
          index={index}
          colours={colours.get(hunk)}
          isCurrent={index === current}
          cursor={index === current ? (place?.line ?? firstChange(hunk)) : undefined}
          notes={notesOf(hunk)}
        />
      ))}
      {layout === 'sides' && <SideScroll body={body} longest={longest} path={file.path} />}
      {diff.more && (
        <div className="rv-say">
          <button type="button" className="btn quiet sm" onClick={diff.more}>
            Show more lines
          </button>
        </div>
      )}
    </div>
  );
}

const NONE: readonly ReviewHunk[] = [];

/** The line that a comment is on if none is chosen. */
export function firstChange({ lines }: ReviewHunk): number {
  const added = lines.findIndex(({ kind }) => kind === 'added');
  return added === -1
    ? Math.max(
        0,
        lines.findIndex(({ kind }) => kind === 'removed'),
      )
    : added;
}

function binaryText(kind: string, oldSize: number | undefined, newSize: number | undefined): string {
  const what = kind === 'image' ? 'An image' : 'A binary file';
  const size = (count: number | undefined) => bytes(count ?? 0);
  if (oldSize === undefined) return `${what}, ${size(newSize)}.`;
  if (newSize === undefined) return `${what}, ${size(oldSize)}, deleted.`;
  return `${what}, ${size(oldSize)} before, ${size(newSize)} now.`;
}

/** One scroll bar moves both sides, so that lines stay beside each other. */
function SideScroll({
  body,
  longest,
  path,
}: {
  readonly body: RefObject<HTMLDivElement | null>;
  readonly longest: number;
  readonly path: string;
}) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const [scrolled, moved] = [bar.current, body.current];
    if (!scrolled || !moved) return;
    const follow = () => moved.style.setProperty('--x', `${-scrolled.scrollLeft}px`);
    const wheel = (event: WheelEvent) => {
      const by = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (Math.abs(by) <= (event.shiftKey ? 0 : Math.abs(event.deltaY))) return;
      const before = scrolled.scrollLeft;
      scrolled.scrollLeft += by;
      if (scrolled.scrollLeft !== before) event.preventDefault();
    };
    scrolled.addEventListener('scroll', follow);
    moved.addEventListener('wheel', wheel, { passive: false });
    return () => {
      scrolled.removeEventListener('scroll', follow);
      moved.removeEventListener('wheel', wheel);
    };
  }, [body]);
  return (
    <div ref={bar} className="rv-x" tabIndex={0} role="region" aria-label={`Long lines of ${path}`}>
      <div style={{ width: `calc(50% + 64px + ${longest}ch)` }} />
    </div>
  );
}

/** Whether it was ever close to the visible part. */
function useNear(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const { current } = element;
    if (isNear || !current) return;
    const root = current.closest('.rv-b');
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { root, rootMargin: '1200px 0px' },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, [element, isNear]);
  return isNear;
}
