import { useEffect, useRef, useState } from 'react';
import { CopyButton } from '../controls/CopyButton.js';
import { Code } from '../markdown/CodeBlock.js';
import { visibleText } from '../text/visibleText.js';
import { drawDiagram, LONGEST_DIAGRAM } from './drawDiagram.js';
import { useIsDark } from './useIsDark.js';

/** While it is being written it changes more often than this. */
const SETTLED_MS = 400;

interface Drawn {
  readonly url: string;
  readonly code: string;
  readonly isDark: boolean;
}

/** A mermaid fence: its picture once it is drawn, its text until then, on demand, and when it can't be drawn. */
export function DiagramFence({ code }: { readonly code: string }) {
  const figure = useRef<HTMLElement>(null);
  const isSeen = useSeenOnce(figure);
  const isDark = useIsDark();
  const [drawn, setDrawn] = useState<Drawn>();
  const [problem, setProblem] = useState<string>();
  const [showsSource, setShowsSource] = useState(false);
  // Characters that can't be seen would not be made visible in a picture.
  const canDraw = code.length <= LONGEST_DIAGRAM && visibleText(code) === code;
  useEffect(() => {
    setProblem(undefined);
    if (!canDraw || !isSeen) return;
    let isWanted = true;
    const timer = setTimeout(() => {
      drawDiagram(code, isDark).then(
        (svg) => {
          const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
          if (isWanted) setDrawn({ url, code, isDark });
          else URL.revokeObjectURL(url);
        },
        (error: Error) => {
          if (!isWanted) return;
          setDrawn(undefined);
          setProblem(error.message);
        },
      );
    }, SETTLED_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [code, isDark, canDraw, isSeen]);
  useEffect(() => () => drawn && URL.revokeObjectURL(drawn.url), [drawn]);
  // In the other theme it stays until it is drawn again: the text in between would move everything.
  const url = drawn?.code === code ? drawn.url : undefined;
  const isBusy = canDraw && isSeen && problem === undefined && (url === undefined || drawn?.isDark !== isDark);
  const isShown = url !== undefined && !showsSource;
  return (
    <figure className="card codeblock" ref={figure} aria-busy={isBusy}>
      <figcaption className="card-h">
        <span className="meta grow">mermaid</span>
        {problem !== undefined && (
          <span className="meta" title={problem}>
            not drawn
          </span>
        )}
        {url !== undefined && (
          <button type="button" className="btn quiet sm" onClick={() => setShowsSource(!showsSource)}>
            {showsSource ? 'Show diagram' : 'Show source'}
          </button>
        )}
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      {isShown ? (
        <div className="diagram" tabIndex={0} role="group" aria-label="Diagram">
          <img
            src={url}
            alt={`Diagram: ${kindOf(code)}. Its text is behind “Show source”.`}
            onError={() => {
              setDrawn(undefined);
              setProblem("The picture can't be shown.");
            }}
          />
        </div>
      ) : (
        <pre className="code" tabIndex={0} role="region" aria-label="Code, mermaid">
          <code>
            <Code code={code} language="mermaid" />
          </code>
        </pre>
      )}
    </figure>
  );
}

/** The first word that is no directive: `flowchart`, `sequenceDiagram`. */
function kindOf(code: string): string {
  return (
    code
      .split('\n')
      .find((line) => /^\s*[a-z]/i.test(line))
      ?.trim()
      .split(/\s/)[0] ?? 'mermaid'
  );
}

/** Only what somebody scrolls to is drawn. */
function useSeenOnce(element: { readonly current: HTMLElement | null }): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        setSeen(true);
        observer.disconnect();
      },
      { rootMargin: '400px' },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return isSeen;
}
