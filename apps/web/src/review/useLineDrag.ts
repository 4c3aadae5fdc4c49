import { type PointerEvent, type RefObject, useRef } from 'react';
import { useReview } from './reviewContext.js';
import type { ReviewHunk, Side } from './reviewLines.js';

interface Numbered {
  readonly side: Side;
  readonly line: number;
}

/** Dragging over line numbers begins a comment on those lines. */
export function useLineDrag(path: string, hunks: readonly ReviewHunk[], body: RefObject<HTMLElement | null>) {
  const { mayComment, select, write, draft } = useReview();
  const from = useRef<Numbered>(undefined);
  const last = useRef<Numbered>(undefined);
  if (!mayComment) return {};
  return {
    onPointerDown: (event: PointerEvent) => {
      const found = event.button === 0 ? numberAt(event.target) : undefined;
      if (!found) return;
      event.preventDefault();
      from.current = found;
      last.current = found;
      select({ path, ...rangeOf(found, found) });
    },
    onPointerMove: (event: PointerEvent) => {
      if (!from.current) return;
      const found = numberAt(document.elementFromPoint(event.clientX, event.clientY));
      if (!found || found.side !== from.current.side || !body.current) return;
      last.current = found;
      select({ path, ...rangeOf(from.current, found) });
    },
    onPointerUp: () => {
      const [start, end] = [from.current, last.current];
      from.current = undefined;
      select(undefined);
      if (!start || !end) return;
      const range = rangeOf(start, end);
      // What is being written is never lost to a wrong click.
      if (draft && draft.text.trim() !== '') return;
      write({ path, ...range, quote: quoteOf(hunks, range), text: '' });
    },
    onPointerCancel: () => {
      from.current = undefined;
      select(undefined);
    },
  };
}

const LONGEST_QUOTE = 2_000;

/** The code of some lines, or the beginning of it. */
export function quoteOf(
  hunks: readonly ReviewHunk[],
  { side, line, endLine }: { readonly side: Side; readonly line: number; readonly endLine: number },
): string {
  return hunks
    .flatMap((hunk) => hunk.lines)
    .filter(({ oldNumber, newNumber }) => {
      const number = side === 'old' ? oldNumber : newNumber;
      return number !== undefined && number >= line && number <= endLine;
    })
    .map(({ text }) => text)
    .join('\n')
    .slice(0, LONGEST_QUOTE);
}

function rangeOf(a: Numbered, b: Numbered) {
  return { side: a.side, line: Math.min(a.line, b.line), endLine: Math.max(a.line, b.line) };
}

function numberAt(target: EventTarget | null): Numbered | undefined {
  const named = target instanceof Element ? target.closest<HTMLElement>('[data-n]')?.dataset['n'] : undefined;
  const [side, line] = named?.split(':') ?? [];
  return (side === 'old' || side === 'new') && line ? { side, line: Number(line) } : undefined;
}
