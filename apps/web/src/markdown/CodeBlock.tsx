import { useEffect, useState } from 'react';
import { CopyButton } from '../controls/CopyButton.js';
import { canHighlight, type HighlightedLine, highlight } from './highlight.js';

interface Highlighted {
  readonly code: string;
  readonly lines: readonly HighlightedLine[];
}

export function CodeBlock({ code, language }: { readonly code: string; readonly language?: string | undefined }) {
  const highlighted = useHighlighted(code, language);
  return (
    <figure className="card codeblock">
      <figcaption className="card-h">
        <span className="meta grow">{language || 'text'}</span>
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      <pre className="code" tabIndex={0} role="region" aria-label={`Code, ${language || 'text'}`}>
        <code>{highlighted ? <HighlightedCode lines={highlighted.lines} /> : code}</code>
      </pre>
    </figure>
  );
}

export function HighlightedCode({ lines }: { readonly lines: readonly HighlightedLine[] }) {
  return lines.map((line, row) => (
    <span key={row}>
      {row > 0 && '\n'}
      {line.map((span, index) => (
        <span key={index} style={span.color ? { color: span.color } : undefined}>
          {span.text}
        </span>
      ))}
    </span>
  ));
}

/** Plain first, coloured when the highlighter has come; what is still being written is coloured when it rests. */
function useHighlighted(code: string, language: string | undefined): Highlighted | undefined {
  const [highlighted, setHighlighted] = useState<Highlighted>();
  useEffect(() => {
    if (!canHighlight(code, language)) return;
    let wanted = true;
    const timer = setTimeout(() => {
      highlight(code, language).then(
        (lines) => wanted && lines && setHighlighted({ code, lines }),
        () => undefined,
      );
    }, 80);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [code, language]);
  return highlighted?.code === code ? highlighted : undefined;
}
