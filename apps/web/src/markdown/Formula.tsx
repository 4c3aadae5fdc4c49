import type { KatexOptions } from 'katex';
import { useEffect, useRef, useState } from 'react';
import { visibleText } from '../text/visibleText.js';

/** A longer one is shown as it is written. */
const LONGEST = 1_000;
/** Only MathML: it needs neither fonts nor styles of its own, and every browser draws it. */
const OPTIONS: KatexOptions = {
  output: 'mathml',
  throwOnError: true,
  trust: false,
  strict: 'ignore',
  // A formula that defines itself, or one of a thousand lines, must not keep the page busy.
  maxExpand: 200,
  maxSize: 20,
};

/** Formulas are drawn for this long at a time; then the page gets its turn. */
const SLICE_MS = 8;
const waiting: (() => void)[] = [];
let isDrawing = false;

function drawLater(draw: () => void): void {
  waiting.push(draw);
  if (!isDrawing) setTimeout(drawSome);
  isDrawing = true;
}

function drawSome(): void {
  const until = performance.now() + SLICE_MS;
  do waiting.shift()?.();
  while (waiting.length > 0 && performance.now() < until);
  isDrawing = waiting.length > 0;
  if (isDrawing) setTimeout(drawSome);
}

interface FormulaProps {
  readonly text: string;
  readonly isBlock: boolean;
}

/** A formula. What can't be drawn is shown as it is written. */
export function Formula({ text, isBlock }: FormulaProps) {
  const element = useRef<HTMLSpanElement>(null);
  const [drawn, setDrawn] = useState<string>();
  // Characters that can't be seen would not be made visible in a drawing.
  const canDraw = text.length <= LONGEST && visibleText(text) === text;
  useEffect(() => {
    if (!canDraw) return;
    let isWanted = true;
    const draw = ({ default: katex }: typeof import('katex')) => {
      const { current } = element;
      if (!isWanted || !current) return;
      try {
        katex.render(text, current, { ...OPTIONS, displayMode: isBlock });
        setDrawn(text);
      } catch {
        current.replaceChildren();
        setDrawn(undefined);
      }
    };
    import('katex').then(
      (loaded) => drawLater(() => draw(loaded)),
      // Without the program formulas stay as they are written.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [text, isBlock, canDraw]);
  return (
    <span className={isBlock ? 'math block' : 'math'}>
      <span ref={element} />
      {drawn !== text && <code>{text}</code>}
    </span>
  );
}
