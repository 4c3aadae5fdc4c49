import type { SearchTerm } from './searchQuery.js';

/** In words: the length of a snippet, and how many of them come before the first hit. */
const SNIPPET_WORDS = 24;
const WORDS_BEFORE = 8;
/** In UTF-16 code units: a word can be as long as a file in base64. */
const SNIPPET_LENGTH = 400;

interface Word {
  readonly start: number;
  readonly end: number;
}

/** The words of the index's tokenizer: letters, numbers and private-use characters, with their marks. */
const WORDS = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu;

/**
 * The text around the first hit of a term, with the hit between ⟨ and ⟩; empty without a hit.
 * FTS5 has `snippet()` for this, but it is quadratic in the number of hits: seconds for the output of a chatty tool.
 * This one reads each word once and stops soon after the first hit.
 */
export function snippetOf(text: string, terms: readonly SearchTerm[]): string {
  const phrases = terms.flatMap((term) => (term.kind === 'match' ? [phraseOf(term)] : []));
  const longest = Math.max(0, ...phrases.map(({ words }) => words.length));
  const words: Word[] = [];
  const folded: string[] = [];
  const found: Word[] = [];
  let wordsAfter = 0;
  for (const match of text.matchAll(WORDS)) {
    words.push({ start: match.index, end: match.index + match[0].length });
    folded.push(fold(match[0]));
    const length = Math.max(0, ...phrases.map((phrase) => lengthOfMatch(folded, phrase)));
    if (length > 0) found.push({ start: words.at(-length)?.start ?? 0, end: words.at(-1)?.end ?? 0 });
    if (found.length > 0 && ++wordsAfter > SNIPPET_WORDS - WORDS_BEFORE) break;
    if (found.length > 0) continue;
    // Words that are too far back to be shown, or to be part of a phrase, are dropped.
    while (words.length > longest + WORDS_BEFORE) {
      words.shift();
      folded.shift();
    }
  }
  return found.length > 0 ? shortened(around(text, words, merged(found))) : '';
}

interface Phrase {
  readonly words: readonly string[];
  /** The last word may be unfinished. */
  readonly isUnfinished: boolean;
}

function phraseOf({ words, isUnfinished }: Extract<SearchTerm, { kind: 'match' }>): Phrase {
  return { words: foldedWords(words), isUnfinished };
}

/** How many words the phrase takes when it ends at the newest word; 0 when it doesn't. */
function lengthOfMatch(folded: readonly string[], { words, isUnfinished }: Phrase): number {
  const start = folded.length - words.length;
  if (words.length === 0 || start < 0) return 0;
  for (let n = words.length - 1; n >= 0; n--) {
    const [have = '', want = ''] = [folded[start + n], words[n]];
    if (have === want) continue;
    if (!isUnfinished || n < words.length - 1 || !have.startsWith(want)) return 0;
  }
  return words.length;
}

/** The words of a text as they are compared: without case and diacritics. */
export function foldedWords(text: string): string[] {
  return [...text.matchAll(WORDS)].map(([word]) => fold(word));
}

/** Folded as in the index: without case and diacritics. */
function fold(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Overlapping hits are one. */
function merged(found: readonly Word[]): Word[] {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of found) {
    const last = all.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}

function around(text: string, words: readonly Word[], found: readonly Word[]): string {
  const first = words.findIndex(({ start }) => start === found[0]?.start);
  const shown = words.slice(Math.max(0, first - WORDS_BEFORE)).slice(0, SNIPPET_WORDS);
  const isStart = shown[0] === words[0] && !/[\p{L}\p{N}\p{Co}]/u.test(text.slice(0, words[0]?.start));
  const from = isStart ? 0 : (shown[0]?.start ?? 0);
  const lastEnd = shown.at(-1)?.end ?? text.length;
  const isEnd = !/[\p{L}\p{N}\p{Co}]/u.test(text.slice(lastEnd, lastEnd + SNIPPET_LENGTH));
  const to = isEnd ? Math.min(text.length, lastEnd + SNIPPET_LENGTH) : lastEnd;
  let marked = '';
  let at = from;
  for (const { start, end } of found) {
    if (start >= to) break;
    const shownEnd = Math.min(end, to);
    marked += `${text.slice(at, start)}⟨${text.slice(start, shownEnd)}⟩`;
    at = shownEnd;
  }
  return `${isStart ? '' : '…'}${marked}${text.slice(at, to)}${isEnd && to === text.length ? '' : '…'}`;
}

function shortened(snippet: string): string {
  if (snippet.length <= SNIPPET_LENGTH) return snippet;
  const start = Math.max(0, snippet.indexOf('⟨') - SNIPPET_LENGTH / 2);
  const end = start + SNIPPET_LENGTH;
  const part = snippet.slice(start, end).toWellFormed();
  const close = part.lastIndexOf('⟨') > part.lastIndexOf('⟩') ? '⟩' : '';
  return `${start > 0 ? '…' : ''}${part}${close}${end < snippet.length ? '…' : ''}`;
}
