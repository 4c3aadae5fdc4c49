import type { ToolOutput } from '@agenthost/protocol';
import { useEffect, useRef, useState } from 'react';
import { problemText } from '../../app/problemText.js';
import { AnsiText } from '../../terminal/AnsiText.js';
import { useChat } from '../chatContext.js';
import { bytes } from '../times.js';

const PAGE = 256 * 1024;

/** The part of the output in the state; the rest is loaded page by page on demand. */
export function OutputText({
  text,
  output,
  of,
  live = false,
}: {
  readonly text: string;
  readonly output?: ToolOutput | undefined;
  /** The name of its source. */
  readonly of: string;
  readonly live?: boolean;
}) {
  const { fetchContent } = useChat();
  const [pages, setPages] = useState<{ readonly text: string; readonly next: number; readonly size: number }>();
  const [problem, setProblem] = useState<string>();
  const [loading, setLoading] = useState(false);
  const uri = output?.ref?.uri;
  const isCut = output?.truncated === true || (output?.omitted ?? 0) > 0;
  const load = async () => {
    if (!uri || loading) return;
    setLoading(true);
    try {
      const offset = pages?.next ?? 0;
      const { bytes: data, size } = await fetchContent(uri, { offset, length: PAGE });
      setPages({ text: `${pages?.text ?? ''}${new TextDecoder().decode(data)}`, next: offset + data.length, size });
      setProblem(undefined);
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setLoading(false);
    }
  };
  const shown = pages?.text ?? text;
  const more = pages ? pages.next < pages.size : isCut && uri !== undefined;
  return (
    <>
      <FollowedText text={shown} of={of} live={live && !pages} />
      {(more || problem || live) && (
        <div className="more">
          <span className="num">{problem ?? footNote(shown, output, pages, live)}</span>
          {more && (
            <button type="button" className="btn quiet sm" onClick={() => void load()} disabled={loading}>
              {loading ? 'Loading' : pages ? `Next ${bytes(Math.min(PAGE, pages.size - pages.next))}` : 'Show all'}
            </button>
          )}
        </div>
      )}
    </>
  );
}

function footNote(
  text: string,
  output: ToolOutput | undefined,
  pages: { next: number; size: number } | undefined,
  live: boolean,
): string {
  if (pages) return `${bytes(pages.next)} of ${bytes(pages.size)}`;
  const lines = text.split('\n').length;
  const size = output?.ref?.sizeHint;
  if (live) return `Following live output${size ? `, ${bytes(size)}` : ''}`;
  return `${lines.toLocaleString()} lines${size ? ` of ${bytes(size)}` : ''}, the middle is left out`;
}

/** Follows the end until the user scrolls away from it. */
function FollowedText({ text, of, live }: { readonly text: string; readonly of: string; readonly live: boolean }) {
  const element = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls whenever the text has grown
  useEffect(() => {
    const { current } = element;
    if (current && live && follows.current) current.scrollTop = current.scrollHeight;
  }, [text, live]);
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
