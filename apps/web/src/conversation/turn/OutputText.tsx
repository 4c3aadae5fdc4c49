import type { ToolOutput } from '@agenthost/protocol';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { problemText } from '../../app/problemText.js';
import { AnsiText } from '../../terminal/AnsiText.js';
import { useChat } from '../chatContext.js';
import { bytes } from '../times.js';
import { type LoadedOutput, loadOutput, STEP } from './wholeOutput.js';

/** A folded output shows this many of its last lines. */
const FOLDED_LINES = 2;
/** An output with a few more lines than that is not worth a fold. */
const FOLD_FROM = 6;
/** The end of an output that stays visible below its loaded beginning. */
const TAIL_LENGTH = 4_096;

interface OutputTextProps {
  readonly text: string;
  readonly output?: ToolOutput | undefined;
  /** The name of its source. */
  readonly of: string;
  readonly live?: boolean;
  /** Only its last lines, until the user asks for all of it. */
  readonly folded?: boolean;
  readonly onUnfold?: () => void;
}

/** The part of the output in the state; the rest is loaded on demand. */
export function OutputText({ text, output, of, live = false, folded = false, onUnfold }: OutputTextProps) {
  const { fetchContent } = useChat();
  const [whole, setWhole] = useState<LoadedOutput>();
  const [problem, setProblem] = useState<string>();
  const [loading, setLoading] = useState(false);
  const uri = output?.ref?.uri;
  const isCut = (output?.truncated === true || (output?.omitted ?? 0) > 0) && uri !== undefined;
  const load = async () => {
    if (!uri || loading) return;
    setLoading(true);
    try {
      setWhole(await loadOutput(fetchContent, uri, whole));
      setProblem(undefined);
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setLoading(false);
    }
  };
  const lines = lineCount(text);
  if (folded && !live && (lines > FOLD_FROM || isCut)) {
    const unfold = () => {
      onUnfold?.();
      if (isCut) void load();
    };
    return (
      <>
        <pre className="term short">
          <AnsiText text={lastLines(text, FOLDED_LINES)} />
        </pre>
        <div className="more">
          <span className="num">
            last {FOLDED_LINES} of{' '}
            {isCut ? bytes(output?.ref?.sizeHint ?? text.length) : `${lines.toLocaleString()} lines`}
          </span>
          <button type="button" className="btn quiet sm" aria-label={`Show all output of ${of}`} onClick={unfold}>
            Show all
          </button>
        </div>
      </>
    );
  }
  const missing = whole ? Math.max(0, whole.size - whole.loaded) : 0;
  const more = whole ? missing > 0 : isCut;
  return (
    <>
      <FollowedText text={whole?.text ?? text} of={of} live={live && !whole} />
      {whole && missing > TAIL_LENGTH && (
        <>
          <p className="gap num">{bytes(missing)} between are not loaded</p>
          <FollowedText text={text.slice(-TAIL_LENGTH)} of={`${of}, its end`} live={false} />
        </>
      )}
      {(more || problem || live) && (
        <div className="more">
          <span className="num">{problem ?? footNote(lines, output, whole, live)}</span>
          {more && (
            <button type="button" className="btn quiet sm" onClick={() => void load()} disabled={loading}>
              {loading ? 'Loading' : whole ? `Next ${bytes(Math.min(STEP, missing))}` : 'Show all'}
            </button>
          )}
        </div>
      )}
    </>
  );
}

function footNote(
  lines: number,
  output: ToolOutput | undefined,
  whole: LoadedOutput | undefined,
  live: boolean,
): string {
  if (whole) return `${bytes(whole.loaded)} of ${bytes(whole.size)}`;
  const size = output?.ref?.sizeHint;
  if (live) return `Following live output${size ? `, ${bytes(size)}` : ''}`;
  return `${lines.toLocaleString()} lines${size ? ` of ${bytes(size)}` : ''}, the middle is left out`;
}

function lineCount(text: string): number {
  const trimmed = text.replace(/\n+$/, '');
  return trimmed === '' ? 0 : trimmed.split('\n').length;
}

/** Blank lines at the end say nothing. */
function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

/** Shows the end, and follows it until the user scrolls away from it: a failure is at the end. */
function FollowedText({ text, of, live }: { readonly text: string; readonly of: string; readonly live: boolean }) {
  const element = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls whenever the text has grown
  useLayoutEffect(() => {
    const { current } = element;
    if (current && follows.current) current.scrollTop = current.scrollHeight;
  }, [text, live]);
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    // A font that is loaded later moves the end.
    const observer = new ResizeObserver(() => {
      if (follows.current) current.scrollTop = current.scrollHeight;
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const scrolled = () => {
    const { current } = element;
    if (current) follows.current = current.scrollTop + current.clientHeight >= current.scrollHeight - 24;
  };
  return (
    <pre className="term" ref={element} onScroll={scrolled} tabIndex={0} role="region" aria-label={`Output of ${of}`}>
      <AnsiText text={text} />
      {live && <span className="caret" aria-hidden="true" />}
    </pre>
  );
}
