import { searchable } from './searchText.js';

/** More words than this narrow nothing down, and each costs a look into the index. */
const MAX_TERMS = 32;

/** One thing that a session must have somewhere. */
export type SearchTerm =
  /** A query of FTS5. */
  | { readonly kind: 'match'; readonly query: string }
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

/** Finds a text that has any of the terms; `undefined` where only titles are looked at. */
export function anyOf(terms: readonly SearchTerm[]): string | undefined {
  const queries = terms.flatMap((term) => (term.kind === 'match' ? [term.query] : []));
  return queries.length > 0 ? queries.join(' OR ') : undefined;
}

function toTerm(words: string, isUnfinished: boolean): SearchTerm {
  // What the tokenizer takes for a part of a word; all else separates words.
  if (!/[\p{L}\p{N}\p{Co}]/u.test(words)) return { kind: 'title', pattern: `%${words.replace(/[\\%_]/g, '\\$&')}%` };
  return { kind: 'match', query: `"${words}"${isUnfinished ? '*' : ''}` };
}
