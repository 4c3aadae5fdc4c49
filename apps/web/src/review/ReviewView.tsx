import type { ChangedFile, ChangesSince, SessionState } from '@agenthost/protocol';
import { type ChatModel, parseSessionId, type Session } from '@agenthost/sessions';
import { Columns2, ListTree, Rows2, Search } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { useServices } from '../app/services.js';
import { useNarrow } from '../app/useNarrow.js';
import { useObservable } from '../app/useObservable.js';
import { Problem } from '../controls/Problem.js';
import { agentName } from '../list/agentName.js';
import { FileList, LineDelta } from './FileList.js';
import { FileView, firstChange, foldReason } from './FileView.js';
import { foldersOf } from './folders.js';
import { PhoneFile } from './PhoneFile.js';
import { ReviewFoot } from './ReviewFoot.js';
import { ReviewHeader } from './ReviewHeader.js';
import { type LineRange, type ReviewPlace, ReviewProvider } from './reviewContext.js';
import type { ReviewHunk } from './reviewLines.js';
import { keepLayout, keepMarks, type ReviewMarks, readLayout, readMarks } from './reviewMarks.js';
import { isSame, noneText, show } from './reviewPlace.js';
import { useActions } from './useActions.js';
import { useChanges } from './useChanges.js';
import { useReviewKeys } from './useReviewKeys.js';
import { useSwipe } from './useSwipe.js';
import { useWide } from './useWide.js';
import './css/review.css';
import './css/reviewDiff.css';
import './css/reviewPhone.css';

interface ReviewViewProps {
  readonly session: Session;
  readonly host: PageHost;
  readonly model: ChatModel;
  readonly state: SessionState | undefined;
  /** The file to begin with. */
  readonly at?: string | undefined;
  readonly onClose: () => void;
}

const NAMES: Readonly<Record<ChangesSince, readonly [long: string, short: string]>> = {
  lastTurn: ['Since last turn', 'Last turn'],
  session: ['This session', 'Session'],
  base: ['Against', 'Against'],
};

/** The changes of a session, file by file: to read, comment, take back and land. */
export function ReviewView({ session, host, model, state, at: begin, onClose }: ReviewViewProps) {
  const { settings } = useServices();
  const { singleLetters } = useObservable(settings.value);
  const uri = parseSessionId(model.resource).localId;
  const changes = useChanges(host, uri, state);
  const { lists } = changes;
  const isNarrow = useNarrow();
  const isWide = useWide();
  const [marks, setMarks] = useState(() => readMarks(uri));
  const [since, setSince] = useState<ChangesSince>(() => (readMarks(uri).isKnown ? 'lastTurn' : 'session'));
  const [preferred, setPreferred] = useState(readLayout);
  const [filter, setFilter] = useState('');
  const [asTree, setTree] = useState(false);
  const [opened, setOpened] = useState<Readonly<Record<string, boolean>>>({});
  const [wanted, setPlace] = useState<ReviewPlace>();
  const [selected, setSelected] = useState<LineRange>();
  const region = useRef<HTMLDivElement>(null);
  const hunksOf = useRef(new Map<string, readonly ReviewHunk[]>());
  const layout = isWide && !isNarrow ? preferred : 'unified';

  const mark = useCallback(
    (change: (before: ReviewMarks) => ReviewMarks) =>
      setMarks((before) => {
        const next = change(before);
        keepMarks(uri, next);
        return next;
      }),
    [uri],
  );
  // From now on it opens on what is new.
  useEffect(() => mark((before) => before), [mark]);

  // Without git there is only the session.
  const kinds = (['lastTurn', 'session', 'base'] as const).filter(
    (kind) => lists.session?.source === 'git' || kind === 'session',
  );
  const shownKind = kinds.includes(since) ? since : 'session';
  const list = lists[shownKind];
  // In the order of the list beside them.
  const all = useMemo(() => foldersOf(list?.files ?? NO_FILES).flatMap((folder) => folder.files), [list]);
  const files = useMemo(() => {
    const word = filter.trim().toLowerCase();
    return word === '' ? all : all.filter(({ path }) => path.toLowerCase().includes(word));
  }, [all, filter]);
  const isViewed = (file: ChangedFile) => marks.viewed[file.path] === (file.id ?? file.status);
  const setViewed = (file: ChangedFile, isOn: boolean) => {
    mark(({ viewed: { [file.path]: _, ...viewed }, ...rest }) => ({
      ...rest,
      viewed: isOn ? { ...viewed, [file.path]: file.id ?? file.status } : viewed,
    }));
    setOpened(({ [file.path]: _, ...others }) => others);
  };
  const place = files.some(({ path }) => path === wanted?.path) ? wanted : undefined;
  const current = place?.path ?? files[0]?.path;
  const at = files.findIndex(({ path }) => path === current);
  const idOf = (path: string) => `rv-${files.findIndex((file) => file.path === path)}`;

  const actions = useActions({ host, uri, model, state, session, list, changes, marks, mark });
  const goTo = useCallback((next: ReviewPlace) => setPlace((before) => (isSame(before, next) ? before : next)), []);
  /** A key or the list moves there, and the focus with it. */
  const [jump, setJump] = useState(0);
  const move = (next: ReviewPlace) => {
    setPlace(next);
    setJump((count) => count + 1);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a jump moves the focus
  useEffect(() => {
    if (jump > 0 && place) show(idOf(place.path), place, hunksOf.current.get(place.path)?.length ?? 0);
  }, [jump]);
  const waiting = useRef<ReviewPlace>(undefined);
  const onHunks = useCallback((path: string, hunks: readonly ReviewHunk[]) => {
    hunksOf.current.set(path, hunks);
    if (waiting.current?.path === path && hunks.length > 0) {
      waiting.current = undefined;
      setJump((count) => count + 1);
    }
  }, []);

  const toFile = (index: number, hunk = 0) => {
    const file = files[index];
    if (!file) return;
    const next = { path: file.path, hunk };
    if (!hunksOf.current.get(file.path)?.length) waiting.current = next;
    if (region.current && isNarrow) region.current.scrollTop = 0;
    move(next);
  };
  const begun = useRef(begin === undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the list is there
  useEffect(() => {
    const index = files.findIndex(({ path }) => path === begin);
    if (begun.current || index === -1) return;
    begun.current = true;
    toFile(index);
  }, [files, begin]);
  const step = (by: 1 | -1) => {
    if (!place || current === undefined) return toFile(Math.max(0, at));
    const last = (hunksOf.current.get(current)?.length ?? 0) - 1;
    const next = Math.min(place.hunk, Math.max(0, last)) + by;
    if (next >= 0 && next <= last) move({ path: current, hunk: next });
    else toFile(at + by, by === 1 ? 0 : Number.POSITIVE_INFINITY);
  };
  const hunkAt = (): ReviewHunk | undefined => {
    const hunks = current === undefined ? [] : (hunksOf.current.get(current) ?? []);
    return hunks[Math.min(place?.hunk ?? 0, hunks.length - 1)];
  };
  const line = (by: 1 | -1) => {
    const hunk = hunkAt();
    if (!hunk || !place) return;
    const next = Math.max(0, Math.min(hunk.lines.length - 1, (place.line ?? firstChange(hunk)) + by));
    move({ ...place, line: next });
  };
  const comment = () => {
    const hunk = hunkAt();
    const found = hunk?.lines[place?.line ?? (hunk ? firstChange(hunk) : 0)];
    if (current === undefined || !found || !actions.review.mayComment) return;
    if (actions.review.draft) document.querySelector<HTMLElement>('.cmt.draft textarea')?.focus();
    else {
      const side = found.kind === 'removed' ? 'old' : 'new';
      const number = (side === 'old' ? found.oldNumber : found.newNumber) ?? 1;
      actions.review.write({
        path: current,
        side,
        line: number,
        endLine: number,
        quote: found.text.slice(0, 2_000),
        text: '',
      });
    }
  };
  const toggleLayout = () => {
    if (!isWide || isNarrow) return;
    const next = preferred === 'sides' ? 'unified' : 'sides';
    setPreferred(next);
    keepLayout(next);
  };
  const file = files[at];
  const onHunk = (run: (hunk: ReviewHunk) => void) => () => {
    const hunk = hunkAt();
    if (hunk) run(hunk);
  };
  useReviewKeys(
    {
      j: { run: () => step(1) },
      k: { run: () => step(-1) },
      n: { run: () => toFile(place ? at + 1 : at) },
      p: { run: () => toFile(at - 1) },
      ArrowDown: { run: () => line(1) },
      ArrowUp: { run: () => line(-1) },
      a: { run: onHunk((hunk) => actions.review.accept(hunk, !actions.review.isAccepted(hunk))) },
      x: {
        run: onHunk((hunk) => {
          const { mayRevert, why, busyWith, revert } = actions.review;
          if (current !== undefined && mayRevert && why === undefined && busyWith(current) === undefined)
            revert(current, hunk);
        }),
      },
      c: { run: comment },
      v: { run: () => file && setViewed(file, !isViewed(file)) },
      u: { run: toggleLayout },
      d: { run: onClose },
      '/': { run: () => document.querySelector<HTMLElement>('[data-filter]')?.focus() },
      Escape: { run: onClose, isAlways: true },
      'Control+Enter': { run: () => actions.send?.(), isAlways: true },
    },
    singleLetters,
  );
  useEffect(() => region.current?.focus({ preventScroll: true }), []);
  useSwipe(region, isNarrow ? (by) => toFile(at + by) : undefined);

  const viewed = all.filter(isViewed).length;
  const openThreads = (path: string) => actions.review.threadsOf(path).filter(({ isResolved }) => !isResolved).length;
  const list_ = (onOpen: (path: string) => void) => (
    <FileList
      files={files}
      current={current}
      asTree={asTree}
      isViewed={isViewed}
      commentsOn={openThreads}
      onOpen={onOpen}
    />
  );
  const review = { ...actions.review, layout, isNarrow, selected, select: setSelected, goTo } as const;
  const shown = isNarrow ? files.slice(at, at + 1) : files;
  return (
    <ReviewProvider value={review}>
      <div className="rv">
        {!isNarrow && (
          <nav className="sidebar rv-files" aria-label="Changed files">
            <div className="side-head">
              <span className="brand">Changes</span>
              <span className="n-soft num">{list?.total ?? 0}</span>
              <span className="grow" />
              {list && <LineDelta additions={list.additions} deletions={list.deletions} />}
              <button
                type="button"
                className="ib"
                aria-label="Show as a tree"
                title="Show as a tree"
                aria-pressed={asTree}
                onClick={() => setTree(!asTree)}
              >
                <ListTree size={16} aria-hidden />
              </button>
            </div>
            <div className="side-tools">
              <label className="field">
                <Search size={15} aria-hidden />
                <input
                  data-filter
                  placeholder="Filter files"
                  aria-label="Filter files"
                  value={filter}
                  onChange={(event) => setFilter(event.target.value)}
                  onKeyDown={(event) => {
                    if (event.key !== 'Escape') return;
                    setFilter('');
                    region.current?.focus();
                  }}
                />
                <kbd aria-hidden="true">/</kbd>
              </label>
            </div>
            <div className="list" role="region" aria-label="Files" tabIndex={0}>
              {list_((path) => toFile(files.findIndex((one) => one.path === path)))}
              {list?.nextCursor !== undefined && (
                <button
                  type="button"
                  className="btn quiet sm"
                  onClick={() => void changes.more(shownKind).catch(() => changes.reload())}
                >
                  {list.files.length} of {list.total.toLocaleString('en')} files. Show more
                </button>
              )}
              {filter !== '' && files.length === 0 && <p className="blank">No file matches “{filter}”.</p>}
            </div>
            <div className="side-foot rv-prog">
              <div className="bar2">
                <i style={{ width: `${all.length === 0 ? 0 : (viewed / all.length) * 100}%` }} />
              </div>
              <span className="num">
                {viewed} of {list?.total ?? 0} files viewed
              </span>
              <span className="grow" />
              <kbd aria-hidden="true">V</kbd>
            </div>
          </nav>
        )}
        <main className="main">
          <ReviewHeader session={session} host={host} state={state} branch={list?.branch} onClose={onClose} />
          <div className="rv-bar">
            <div className="seg" role="group" aria-label="Compare with">
              {kinds.map((kind) => (
                <button key={kind} type="button" aria-pressed={kind === shownKind} onClick={() => setSince(kind)}>
                  {NAMES[kind][isNarrow ? 1 : 0]}
                  {kind === 'base' && ` ${lists.base?.baseName ?? 'base'}`}
                  {!isNarrow && lists[kind] && <span className="num dim">{lists[kind].total}</span>}
                </button>
              ))}
            </div>
            <span className="grow" />
            {!isNarrow && (
              <span className="hint">
                <kbd>J</kbd>
                <kbd>K</kbd> change <kbd>C</kbd> comment
              </span>
            )}
            {isWide && !isNarrow && (
              <div className="seg" role="group" aria-label="Layout">
                <button
                  type="button"
                  aria-pressed={layout === 'sides'}
                  aria-label="Side by side"
                  title="Side by side (U)"
                  onClick={toggleLayout}
                >
                  <Columns2 size={14} aria-hidden />
                </button>
                <button
                  type="button"
                  aria-pressed={layout === 'unified'}
                  aria-label="Unified"
                  title="Unified (U)"
                  onClick={toggleLayout}
                >
                  <Rows2 size={14} aria-hidden />
                </button>
              </div>
            )}
          </div>
          {isNarrow && file && (
            <PhoneFile
              file={file}
              index={at}
              total={files.length}
              isViewed={isViewed(file)}
              onViewed={(isOn) => setViewed(file, isOn)}
              list={list_}
              onFile={(path) => toFile(files.findIndex((one) => one.path === path))}
            />
          )}
          <div ref={region} className="thread rv-b" tabIndex={0} role="region" aria-label="Changes">
            <Problem text={actions.problem} />
            {shown.map((one) => (
              <FileView
                key={one.path}
                id={idOf(one.path)}
                changes={changes}
                list={list as NonNullable<typeof list>}
                file={one}
                state={state}
                icon={session.icon}
                isViewed={isViewed(one)}
                isOpen={opened[one.path] ?? (isNarrow && foldReason(one) === undefined ? true : undefined)}
                place={place?.path === one.path ? place : undefined}
                onOpen={(isOpen) => setOpened((before) => ({ ...before, [one.path]: isOpen }))}
                onViewed={(isOn) => setViewed(one, isOn)}
                onHunks={onHunks}
              />
            ))}
            {all.length === 0 && (
              <div className="rv-none" role="status">
                {noneText(changes.problem, list !== undefined, shownKind, lists.base?.baseName)}{' '}
                {changes.problem === undefined && shownKind === 'lastTurn' && list && (
                  <button type="button" className="btn quiet sm" onClick={() => setSince('session')}>
                    Show this session
                  </button>
                )}
              </div>
            )}
          </div>
          <ReviewFoot
            host={host}
            uri={uri}
            state={state}
            model={model}
            list={lists.base ?? list}
            actions={actions}
            agentName={agentName(host, session.sessionType)}
            isNarrow={isNarrow}
            title={session.title.value}
            onLanded={changes.reload}
          />
        </main>
      </div>
    </ReviewProvider>
  );
}

const NO_FILES: readonly ChangedFile[] = [];
