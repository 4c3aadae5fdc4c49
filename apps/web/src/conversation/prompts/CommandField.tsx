import { memo, type RefObject, useState } from 'react';
import { Code } from '../../markdown/CodeBlock.js';
import { isLong } from './CommandText.js';

interface CommandFieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly initial: string;
  readonly language: string | undefined;
  readonly readOnly: boolean;
  readonly label: string;
}

/**
 * The whole command: a text field over the same text in its colours. The coloured text has the size, so that the field grows
 * with it in every browser; both scroll together.
 */
export const CommandField = memo(function CommandField(props: CommandFieldProps) {
  const { field, initial, language, readOnly, label } = props;
  const [text, setText] = useState(initial);
  if (isLong(initial)) {
    return (
      <div className="cmd-field long">
        <textarea
          ref={field}
          wrap="off"
          defaultValue={initial}
          readOnly={readOnly}
          aria-label={label}
          spellCheck={false}
        />
      </div>
    );
  }
  return (
    <div className="cmd-field">
      <pre className="cmd-text" aria-hidden="true" data-language={language}>
        <Code code={text} language={language} />
        {/* An empty line keeps its height. */}
        {text.endsWith('\n') || text === '' ? ' ' : ''}
      </pre>
      <textarea
        ref={field}
        className="cmd-text"
        rows={1}
        value={text}
        onChange={(event) => setText(event.target.value)}
        readOnly={readOnly}
        aria-label={label}
        spellCheck={false}
      />
    </div>
  );
});
