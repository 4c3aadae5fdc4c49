import type { SessionState, Turn } from '@agenthost/protocol';
import { ArrowDown } from 'lucide-react';
import { forwardRef, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { problemText } from '../../app/problemText.js';
import { ActiveTurnView, TurnView } from '../turn/TurnView.js';
import { Announcer } from './Announcer.js';
import { useFoundTurn } from './useFoundTurn.js';
import { useSeek } from './useSeek.js';

interface ThreadProps {
  readonly state: SessionState;
  /** The running turn's message has not reached the host. */
  readonly kept: boolean;
  /** Words of a search: opens at the newest turn that has them. */
  readonly find?: string | undefined;
  /** Resolves when older turns were added in front, with their number. */
  readonly loadEarlier: () => Promise<number>;
  /** Drops older turns except that many of the newest. */
  readonly trim: (keep: number) => void;
}

export interface ThreadHandle {
  toNewest(): void;
  /** The next (1) or previous (-1) turn from the one at the top of the window. */
  step(by: 1 | -1): void;
}

const NEAR_END = 80;
const NEAR_START = 600;
/** Turns above the window: beyond the first number, all but the second are dropped; they are loaded again on demand. */
const MOST_ABOVE = 200;
const KEPT_ABOVE = 60;
/** Nothing is dropped while the user scrolls. */
const REST_MS = 400;
/** For this long after a wheel, a key or a finger, the user counts as scrolling. */
const HAND_MS = 1_000;
/** How far a turn may be from the top and still be the current one: margins and rounding. */
const STEP_TOLERANCE = 48;
/** Keys with which a browser scrolls. */
const SCROLL_KEYS = new Set(['PageUp', 'PageDown', 'Home', 'End', 'ArrowUp', 'ArrowDown', ' ']);

/** The conversation: opens at its end, follows it while the user is there, and loads older turns when the user scrolls up. */
export const Thread = forwardRef<ThreadHandle, ThreadProps>(function Thread(
  { state, kept, find, loadEarlier, trim },
  handle,
) {
  const { turns, activeTurn, earlierTurns } = state;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useRef<VirtualizerHandle>(null);
  /** The target of the last step: the next one counts from there, also while the first still scrolls. */
  const stepped = useRef<number>(undefined);
  const forgetStep = () => {
    stepped.current = undefined;
  };
  const touchedAt = useRef(Number.NEGATIVE_INFINITY);
  const touched = () => {
    forgetStep();
    stop();
    touchedAt.current = performance.now();
  };
  const [atEnd, setAtEnd] = useState(true);
  const [loading, setLoading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isShifted = useOtherFirst(turns) && isLong(scroller.current, virtualizer.current);
  const list = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const { current } = list;
    const above = scroller.current;
    if (!current || !above) return;
    const distance = current.getBoundingClientRect().top - above.getBoundingClientRect().top + above.scrollTop;
    setMargin(Math.round(distance));
  }, []);

  const before = useRef<Place>({ top: 0, height: 0 });
  /** What scrolls on the way there is not the user. */
  const { seek, stop, isSeeking } = useSeek({
    scroller,
    virtualizer,
    indexOf: (turnId) => turns.findIndex(({ id }) => id === turnId),
    onEnd: () => scrolled(),
  });
  const goTo = (turnId: string | undefined) => {
    if (turnId === undefined) return;
    // The end is not followed meanwhile: what is measured on the way would lead back to it.
    setAtEnd(false);
    seek(turnId);
  };
  const toNewest = () => {
    forgetStep();
    stop();
    const { current } = scroller;
    if (current) current.scrollTop = current.scrollHeight;
    setAtEnd(true);
  };
  useImperativeHandle(handle, () => ({
    toNewest,
    step: (by) => {
      const { current } = virtualizer;
      if (!current) return;
      const at = stepped.current ?? current.findItemIndex(current.scrollOffset + STEP_TOLERANCE);
      stepped.current = Math.max(0, Math.min(turns.length - 1, at + by));
      goTo(turns[stepped.current]?.id);
    },
  }));
  const load = async () => {
    if (loading || earlierTurns === undefined) return;
    setLoading(true);
    try {
      await loadEarlier();
      setProblem(undefined);
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setLoading(false);
    }
  };
  const found = useFoundTurn(find, state, loading, () => void load());
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another turn is gone to
  useEffect(() => {
    goTo(found);
  }, [found]);
  const isAtEnd = useRef(atEnd);
  isAtEnd.current = atEnd;
  // The virtualizer waits for a scroll to measure again, and at the end its own correction may move nothing.
  const showEnd = () => {
    const { current } = scroller;
    const last = turns.at(-1);
    if (!current || !last || activeTurn || current.querySelector(`[data-turn="${CSS.escape(last.id)}"]`)) return;
    current.scrollTop -= 2;
    requestAnimationFrame(toNewest);
  };
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const trimWhenResting = () => {
    clearTimeout(resting.current);
    resting.current = setTimeout(() => {
      const { current } = virtualizer;
      const above = current?.findItemIndex(current.scrollOffset) ?? 0;
      if (above > MOST_ABOVE && !loading) trim(turns.length - above + KEPT_ABOVE);
      else if (isAtEnd.current) showEnd();
    }, REST_MS);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a conversation that goes on grows without being scrolled
  useEffect(() => {
    trimWhenResting();
    return () => clearTimeout(resting.current);
  }, [turns]);
  const scrolled = () => {
    const { current } = scroller;
    if (!current || isSeeking()) return;
    trimWhenResting();
    const isNear = current.scrollTop + current.clientHeight >= current.scrollHeight - NEAR_END;
    const isLeft = movedUp(current, before.current, performance.now() - touchedAt.current < HAND_MS);
    before.current = { top: current.scrollTop, height: current.scrollHeight };
    // Growing content leaves the end behind too; only a user who scrolls up has left it.
    if (atEnd && !isNear && !isLeft) toNewest();
    else setAtEnd(isNear);
    if (current.scrollTop < NEAR_START && !problem) void load();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows whatever grew
  useLayoutEffect(() => {
    if (atEnd) toNewest();
  }, [turns, activeTurn, kept]);
  useEffect(() => {
    const { current } = scroller;
    if (!current || !atEnd) return;
    // Fonts, images and late measurements move the end. A queue or a plan that grows below takes room from the window itself.
    const observer = new ResizeObserver(() => {
      current.scrollTop = current.scrollHeight;
    });
    for (const one of [current, ...current.children]) observer.observe(one);
    return () => observer.disconnect();
  }, [atEnd]);
  return (
    <div className="thread-frame">
      <div
        className="thread"
        ref={scroller}
        onWheel={touched}
        onPointerDown={touched}
        onTouchMove={touched}
        onKeyDown={({ key }) => {
          if (SCROLL_KEYS.has(key)) touched();
          else touchedAt.current = performance.now();
        }}
        onScroll={scrolled}
        tabIndex={0}
        role="log"
        aria-label="Conversation"
        aria-live="off"
      >
        <div className="col">
          {/* Its room is always reserved: a heading that appears and disappears would move the text. */}
          <div className="earlier-room">
            {earlierTurns !== undefined && (
              <button type="button" className="btn quiet sm earlier" onClick={() => void load()} disabled={loading}>
                {problem
                  ? `Earlier turns could not be loaded: ${problem}. Try again`
                  : loading
                    ? 'Loading earlier turns'
                    : `${earlierTurns.toLocaleString()} earlier turns`}
              </button>
            )}
          </div>
          <div ref={list}>
            <Virtualizer ref={virtualizer} scrollRef={scroller} shift={isShifted} startMargin={margin}>
              {turns.map((turn) => (
                <TurnView key={turn.id} turn={turn} />
              ))}
            </Virtualizer>
          </div>
          {activeTurn && <ActiveTurnView turn={activeTurn} kept={kept} activity={state.summary.activity} />}
        </div>
      </div>
      <Announcer state={state} />
      {!atEnd && (
        <button type="button" className="newest" onClick={toNewest}>
          <ArrowDown size={14} aria-hidden />
          {state.summary.status === 'inputNeeded' ? 'Newest, needs input' : 'Jump to newest'}
        </button>
      )}
    </div>
  );
});

interface Place {
  readonly top: number;
  readonly height: number;
}

/**
 * More than what shrank above: turns are measured as they come into view. While that happens without input, the user
 * has not scrolled: an opening conversation shrinks and grows before it is told of either.
 */
function movedUp({ scrollTop, scrollHeight }: HTMLElement, before: Place, isByHand: boolean): boolean {
  if (!isByHand && scrollHeight !== before.height) return false;
  return before.top - scrollTop > Math.max(0, before.height - scrollHeight) + 1;
}

/** Whether the last change added turns in front, or removed some: the visible ones must then stay in place. */
function useOtherFirst(turns: readonly Turn[]): boolean {
  const before = useRef<string>(undefined);
  const first = turns[0]?.id;
  const isOther = before.current !== undefined && first !== before.current;
  useEffect(() => {
    before.current = first;
  });
  return isOther;
}

/**
 * When it keeps its position, the virtualizer shows the same items until it is scrolled. Content that is shorter than the window
 * is never scrolled: its other turns would not be shown at all.
 */
function isLong(scroller: HTMLElement | null, virtualizer: VirtualizerHandle | null): boolean {
  return scroller !== null && !!virtualizer?.viewportSize && scroller.scrollHeight > scroller.clientHeight;
}
