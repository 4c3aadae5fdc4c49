import { useEffect, useRef, useState } from 'react';
import { CopyButton } from '../controls/CopyButton.js';
import { Code } from '../markdown/CodeBlock.js';
import { visibleText } from '../text/visibleText.js';
import { drawDiagram, LONGEST_DIAGRAM } from './drawDiagram.js';
import { useIsDark } from './useIsDark.js';

/** While it is being written it changes more often than this. */
const SETTLED_MS = 400;

/** A mermaid fence: its picture once it is drawn, its text until then, on demand, and when it can't be drawn. */
export function DiagramFence({ code }: { readonly code: string }) {
  const figure = useRef<HTMLElement>(null);
  const isSeen = useSeenOnce(figure);
  const isDark = useIsDark();
  const [url, setUrl] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [showsSource, setShowsSource] = useState(false);
  // Characters that can't be seen would not be made visible in a picture.
  const canDraw = code.length <= LONGEST_DIAGRAM && visibleText(code) === code;
  useEffect(() => {
    setUrl(undefined);
    setProblem(undefined);
    if (!canDraw || !isSeen) return;
    let isWanted = true;
    let made: string | undefined;
    const timer = setTimeout(() => {
      drawDiagram(code, isDark).then(
        (svg) => {
          if (!isWanted) return;
          made = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
          setUrl(made);
        },
        (error: Error) => isWanted && setProblem(error.message),
      );
    }, SETTLED_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [code, isDark, canDraw, isSeen]);
  const isShown = url !== undefined && !showsSource;
  return (
    <figure className="card codeblock" ref={figure}>
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
              setUrl(undefined);
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
