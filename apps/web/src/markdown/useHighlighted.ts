import { useEffect, useState } from 'react';
import { canHighlight, type HighlightedLine, highlight } from './highlight.js';

interface Highlighted {
  readonly code: string;
  readonly lines: readonly HighlightedLine[];
}

const REST_MS = 80;

/** Undefined first, then coloured lines; text that is still being written is coloured when it rests. */
export function useHighlighted(code: string, language: string | undefined): readonly HighlightedLine[] | undefined {
  const [highlighted, setHighlighted] = useState<Highlighted>();
  useEffect(() => {
    if (!canHighlight(code, language)) return;
    const stopped = new AbortController();
    const timer = setTimeout(() => {
      highlight(code, language, stopped.signal).then(
        (lines) => !stopped.signal.aborted && lines && setHighlighted({ code, lines }),
        () => undefined,
      );
    }, REST_MS);
    return () => {
      stopped.abort();
      clearTimeout(timer);
    };
  }, [code, language]);
  return highlighted?.code === code ? highlighted.lines : undefined;
}
