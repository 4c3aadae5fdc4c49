import type { SessionState, Turn } from '@agenthost/protocol';
import { ArrowDown } from 'lucide-react';
import { forwardRef, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { problemText } from '../app/problemText.js';
import { Announcer } from './Announcer.js';
import { ActiveTurnView, TurnView } from './TurnView.js';

interface ThreadProps {
  readonly state: SessionState;
  /** The running turn's message has not reached the host. */
  readonly kept: boolean;
  /** Resolves when older turns stand in front, with how many. */
  readonly loadEarlier: () => Promise<number>;
}

export interface ThreadHandle {
  toNewest(): void;
  /** The next (1) or previous (-1) turn from the one at the top of the window. */
  step(by: 1 | -1): void;
}

const NEAR_END = 80;
const NEAR_START = 600;
/** How far a turn may stand from the top and still be the one that is looked at: margins and rounding. */
const STEP_TOLERANCE = 48;

/** The conversation: opens at its end, follows it while one is there, brings older turns when one scrolls up. */
export const Thread = forwardRef<ThreadHandle, ThreadProps>(function Thread({ state, kept, loadEarlier }, handle) {
  const { turns, activeTurn, earlierTurns } = state;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useRef<VirtualizerHandle>(null);
  /** Where the last step went: the next one counts from there, also while the first still scrolls. */
  const stepped = useRef<number>(undefined);
  const forgetStep = () => {
    stepped.current = undefined;
  };
  const [atEnd, setAtEnd] = useState(true);
  const [loading, setLoading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const first = useFirstTurn(turns);
  const list = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what stands above the turns comes and goes with `earlierTurns`
  useLayoutEffect(() => {
    const { current } = list;
    const above = scroller.current;
    if (!current || !above) return;
    const distance = current.getBoundingClientRect().top - above.getBoundingClientRect().top + above.scrollTop;
    setMargin(Math.round(distance));
  }, [earlierTurns === undefined]);

  const toNewest = () => {
    forgetStep();
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
      current.scrollToIndex(stepped.current, { align: 'start' });
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
  const scrolled = () => {
    const { current } = scroller;
    if (!current) return;
    setAtEnd(current.scrollTop + current.clientHeight >= current.scrollHeight - NEAR_END);
    if (current.scrollTop < NEAR_START && !problem) void load();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows whatever grew
  useLayoutEffect(() => {
    if (atEnd) toNewest();
  }, [turns, activeTurn, kept]);
  useEffect(() => {
    const { current } = scroller;
    if (!current || !atEnd) return;
    // Fonts, images and blocks that are measured late make the end move.
    const observer = new ResizeObserver(() => {
      current.scrollTop = current.scrollHeight;
    });
    for (const child of current.children) observer.observe(child);
    return () => observer.disconnect();
  }, [atEnd]);
  return (
    <div className="thread-frame">
      <div
        className="thread"
        ref={scroller}
        onWheel={forgetStep}
        onPointerDown={forgetStep}
        onTouchMove={forgetStep}
        onScroll={scrolled}
        tabIndex={0}
        role="log"
        aria-label="Conversation"
        aria-live="off"
      >
        <div className="col">
          {earlierTurns !== undefined && (
            <button type="button" className="btn quiet sm earlier" onClick={() => void load()} disabled={loading}>
              {problem
                ? `Earlier turns could not be loaded: ${problem}. Try again`
                : loading
                  ? 'Loading earlier turns'
                  : `${earlierTurns.toLocaleString()} earlier turns`}
            </button>
          )}
          <div ref={list}>
            <Virtualizer ref={virtualizer} scrollRef={scroller} shift={first.prepended} startMargin={margin}>
              {turns.map((turn) => (
                <TurnView key={turn.id} turn={turn} />
              ))}
            </Virtualizer>
          </div>
          {activeTurn && <ActiveTurnView turn={activeTurn} kept={kept} />}
        </div>
      </div>
      <Announcer state={state} />
      {!atEnd && (
        <button type="button" className="newest" onClick={toNewest}>
          <ArrowDown size={14} aria-hidden />
          Jump to newest
        </button>
      )}
    </div>
  );
});

/** Whether the last change put turns in front: what is looked at must then stay where it is. */
function useFirstTurn(turns: readonly Turn[]): { readonly prepended: boolean } {
  const before = useRef<{ readonly first: string | undefined; readonly length: number }>({
    first: undefined,
    length: 0,
  });
  const first = turns[0]?.id;
  const prepended =
    before.current.first !== undefined && first !== before.current.first && turns.length > before.current.length;
  useEffect(() => {
    before.current = { first, length: turns.length };
  });
  return { prepended };
}
