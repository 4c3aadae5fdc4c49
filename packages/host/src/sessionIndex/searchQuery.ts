import { searchable } from './searchText.js';

/** More words than this narrow nothing down, and each costs a look into the index. The same holds for words of a phrase. */
const MAX_TERMS = 32;
const MAX_PHRASE_WORDS = 32;

/** One thing that a session must have somewhere. */
export type SearchTerm =
  /** A query of FTS5, and what it looks for: words that follow each other, of which the last may be unfinished. */
  | { readonly kind: 'match'; readonly query: string; readonly words: string; readonly isUnfinished: boolean }
  /** Signs that FTS5 does not index, such as `%` or an emoji: a pattern for LIKE, with `\` to escape, for titles alone. */
  | { readonly kind: 'title'; readonly pattern: string };

/**
 * What somebody typed, as terms: words, and phrases in quotes. The last one may be unfinished unless its quotes are
 * closed. Contract: no text makes a query that FTS5 refuses.
 */
export function searchTerms(text: string): SearchTerm[] {
  const typed = [...searchable(text).matchAll(/"([^"]*)"?|[^\s"]+/g)]
    .map(([all, phrase]) => ({ words: (phrase ?? all).trim(), isClosed: phrase !== undefined && all.endsWith('"') }))
    .filter(({ words }) => words !== '')
    .slice(0, MAX_TERMS);
  return typed.map(({ words, isClosed }, n) => toTerm(words, n === typed.length - 1 && !isClosed));
}

function toTerm(words: string, isUnfinished: boolean): SearchTerm {
  // What the tokenizer takes for a part of a word; all else separates words.
  if (!/[\p{L}\p{N}\p{Co}]/u.test(words)) return { kind: 'title', pattern: `%${words.replace(/[\\%_]/g, '\\$&')}%` };
  const all = words.split(/[^\p{L}\p{N}\p{Co}\p{M}]+/u);
  if (all.length > MAX_PHRASE_WORDS) return toTerm(all.slice(0, MAX_PHRASE_WORDS).join(' '), false);
  return { kind: 'match', query: `"${words}"${isUnfinished ? '*' : ''}`, words, isUnfinished };
}
