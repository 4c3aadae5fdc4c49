import { oneLine } from './boundedText.js';

const MAX_SHOWN = 80;

/** One line of code for a message, in Markdown's way to show code that has backticks itself. */
export function inlineCode(code: string, maxShown = MAX_SHOWN): string {
  const shown = oneLine(code, maxShown);
  if (!shown.includes('`')) return `\`${shown}\``;
  const fence = '`'.repeat(1 + Math.max(...(shown.match(/`+/g) ?? []).map((run) => run.length)));
  return `${fence} ${shown} ${fence}`;
}
