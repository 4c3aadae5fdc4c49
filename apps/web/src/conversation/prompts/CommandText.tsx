import { memo } from 'react';
import { Code } from '../../markdown/CodeBlock.js';
import { visibleCommand } from '../../text/visibleText.js';

/** The shell that is assumed when a call does not name one. */
const ANY_SHELL = 'shellscript';

/** May take more than its share of a screen even on one line. */
const SCROLLS_FROM = 500;
/** A browser needs seconds to wrap so much text: it is not wrapped. */
const LONG_FROM = 100_000;

export function isLong(text: string): boolean {
  return text.length > LONG_FROM;
}

interface RunnableCall {
  readonly toolKind?: 'terminal';
  readonly language?: string;
}

/** The language of a call's input; undefined if it is no command. */
export function commandLanguage({ toolKind, language }: RunnableCall): string | undefined {
  return language ?? (toolKind === 'terminal' ? ANY_SHELL : undefined);
}

interface CommandTextProps {
  readonly text: string;
  readonly language: string | undefined;
}

/** A command with all its lines, in the colours of its language. Long ones scroll. */
export const CommandText = memo(function CommandText({ text, language }: CommandTextProps) {
  // A scrollable element can be reached by keyboard.
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
