import { searchable } from './searchText.js';

/** More words than this don't narrow the result, and each costs a look-up. The same holds for words of a phrase. */
const MAX_TERMS = 32;
const MAX_PHRASE_WORDS = 32;

/** One thing that a session must contain. */
export type SearchTerm =
  /** A query of FTS5, and its words, which follow each other; the last may be unfinished. */
  | { readonly kind: 'match'; readonly query: string; readonly words: string; readonly isUnfinished: boolean }
  /** Characters that FTS5 does not index, such as `%` or an emoji: a pattern for LIKE, with `\` to escape, for titles only. */
  | { readonly kind: 'title'; readonly pattern: string };

/**
 * Splits the typed text into terms: words, and phrases in quotes. The last one may be unfinished unless its quotes are closed.
 * Contract: no text makes a query that FTS5 refuses.
 */
export function searchTerms(text: string): SearchTerm[] {
  const typed = [...searchable(text).matchAll(/"([^"]*)"?|[^\s"]+/g)]
    .map(([all, phrase]) => ({ words: (phrase ?? all).trim(), isClosed: phrase !== undefined && all.endsWith('"') }))
    .filter(({ words }) => words !== '')
    .slice(0, MAX_TERMS);
  return typed.map(({ words, isClosed }, n) => toTerm(words, n === typed.length - 1 && !isClosed));
}

function toTerm(words: string, isUnfinished: boolean): SearchTerm {
  // Characters that the tokenizer takes for parts of words; all others separate words.
  if (!/[\p{L}\p{N}\p{Co}]/u.test(words)) return { kind: 'title', pattern: `%${words.replace(/[\\%_]/g, '\\$&')}%` };
  const all = words.split(/[^\p{L}\p{N}\p{Co}\p{M}]+/u);
  if (all.length > MAX_PHRASE_WORDS) return toTerm(all.slice(0, MAX_PHRASE_WORDS).join(' '), false);
  return { kind: 'match', query: `"${words}"${isUnfinished ? '*' : ''}`, words, isUnfinished };
}
