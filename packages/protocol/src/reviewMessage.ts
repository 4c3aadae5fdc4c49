import { hasHiddenCharacters } from './hiddenCharacters.js';
import type { NewComment } from './types/reviews.js';

/**
 * The message that review comments are sent as: for each its file and lines, the code, and what was said, ordered by file and line.
 * Every client sends this text, with the ids of the comments beside it.
 *
 * @example
 * ```ts
 * const text = reviewMessage([{ id: 'c1', path: 'a.ts', side: 'new', line: 3, quote: 'let a;', text: 'Use const.' }]);
 * ```
 */
export function reviewMessage(comments: readonly NewComment[]): string {
  const ordered = comments.toSorted((a, b) => compare(a.path, b.path) || a.line - b.line || compare(a.id, b.id));
  const [only] = ordered;
  const head = ordered.length === 1 && only ? 'A review comment:' : `${ordered.length} review comments:`;
  return [head, ...ordered.map(block)].join('\n\n');
}

function block(comment: NewComment): string {
  const { quote, text } = comment;
  const code = quote === '' ? [] : [fenced(quote)];
  return [`${place(comment)}:`, ...code, text].join('\n');
}

function place({ path, side, line, endLine = line }: NewComment): string {
  const file = hasHiddenCharacters(path) || path.includes('`') ? JSON.stringify(path) : `\`${path}\``;
  const lines = endLine > line ? `lines ${line} to ${endLine}` : `line ${line}`;
  return `${file}, ${lines}${side === 'old' ? ' before the changes' : ''}`;
}

/** Code with fences in it needs longer ones around it. */
function fenced(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${code.replace(/\n$/, '')}\n${fence}`;
}

/** By code units: the same order everywhere. */
function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
