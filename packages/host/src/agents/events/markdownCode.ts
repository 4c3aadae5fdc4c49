import { oneLine } from './boundedText.js';

const MAX_SHOWN = 80;

/** One line of code for a message, escaped for code that contains backticks. */
export function inlineCode(code: string, maxShown = MAX_SHOWN): string {
  const shown = oneLine(code, maxShown);
  if (!shown.includes('`')) return `\`${shown}\``;
  const fence = '`'.repeat(1 + Math.max(...(shown.match(/`+/g) ?? []).map((run) => run.length)));
  return `${fence} ${shown} ${fence}`;
}

/** Markdown for a block of code that nothing in the text can end. */
export function fencedCode(text: string, language = ''): string {
  let length = 3;
  for (const [run] of text.matchAll(/`+/g)) length = Math.max(length, run.length + 1);
  const fence = '`'.repeat(length);
  return `${fence}${language}\n${text}\n${fence}`;
}
