import { memo } from 'react';
import { Code } from '../../markdown/CodeBlock.js';
import { visibleCommand } from '../../text/visibleText.js';

/** What a shell is taken to be where a call does not say it. */
const ANY_SHELL = 'shellscript';

/** May take more than a screen's part even on one line. */
const SCROLLS_FROM = 500;
/** A browser needs seconds to break so much into lines: its own stay as they are. */
const LONG_FROM = 100_000;

export function isLong(text: string): boolean {
  return text.length > LONG_FROM;
}

interface RunnableCall {
  readonly toolKind?: 'terminal';
  readonly language?: string;
}

/** The language that a call's input is written in; nothing where it is no command. */
export function commandLanguage({ toolKind, language }: RunnableCall): string | undefined {
  return language ?? (toolKind === 'terminal' ? ANY_SHELL : undefined);
}

interface CommandTextProps {
  readonly text: string;
  readonly language: string | undefined;
}

/** A command, all lines of it, in the colours of its language. Long ones scroll. */
export const CommandText = memo(function CommandText({ text, language }: CommandTextProps) {
  // What may scroll can be reached by keys.
  const scrolls =
    text.length > SCROLLS_FROM || text.includes('\n') ? { tabIndex: 0, role: 'region', 'aria-label': 'Command' } : {};
  return (
    <pre className={isLong(text) ? 'command long' : 'command'} data-language={language} {...scrolls}>
      <code>
        <Code code={visibleCommand(text)} language={language} />
      </code>
    </pre>
  );
});
