import { memo } from 'react';
import { CopyButton } from '../controls/CopyButton.js';
import { visibleText } from '../text/visibleText.js';
import type { HighlightedLine } from './highlight.js';
import { useHighlighted } from './useHighlighted.js';

export function CodeBlock({ code, language }: { readonly code: string; readonly language?: string | undefined }) {
  return (
    <figure className="card codeblock">
      <figcaption className="card-h">
        <span className="meta grow">{language || 'text'}</span>
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      <pre className="code" tabIndex={0} role="region" aria-label={`Code, ${language || 'text'}`}>
        <code>
          <Code code={code} language={language} />
        </code>
      </pre>
    </figure>
  );
}

interface CodeProps {
  readonly code: string;
  readonly language: string | undefined;
}

/** Code in its colours, once they are known. It has thousands of elements, so it is rendered only when it changes. */
export const Code = memo(function Code({ code, language }: CodeProps) {
  const lines = useHighlighted(code, language);
  // A text outside of an element does not pass through the JSX runtime.
  return lines ? <HighlightedCode lines={lines} /> : visibleText(code);
});

function HighlightedCode({ lines }: { readonly lines: readonly HighlightedLine[] }) {
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
