import { Lexer, type Token } from 'marked';
import { LEXER_OPTIONS } from './markdownExtensions.js';

/** The top-level tokens of a markdown text. */
export interface LexedMarkdown {
  readonly tokens: readonly Token[];
  /** The definition of a link affects text before it. */
  readonly hasDefinitions: boolean;
}

/** A longer text is cut into pieces that are shown as plain text. */
const LONGEST_PIECE = 100_000;

/** Parses it at any cost. */
export function lexMarkdown(text: string): LexedMarkdown {
  const lexer = new Lexer(LEXER_OPTIONS);
  try {
    const tokens = [...lexer.lex(text)];
    return { tokens, hasDefinitions: Object.keys(lexer.tokens.links).length > 0 };
  } catch (error) {
    // For example, nested a thousand deep. The reader still gets the text.
    if (error instanceof Error) return asPlain(text);
    throw error;
  }
}

/** The text, unparsed. */
export function asPlain(text: string): LexedMarkdown {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at += LONGEST_PIECE) {
    const raw = text.slice(at, at + LONGEST_PIECE);
    tokens.push({ type: 'html', raw, text: raw, block: true, pre: false });
  }
  return { tokens, hasDefinitions: false };
}

/**
 * Some of the lexer's rules are quadratic: 60 kB of `*a_` take a minute. A text of moderate length with few marks of emphasis and
 * little nesting in each paragraph takes milliseconds; the rest is parsed in a worker.
 */
const CHEAP_LENGTH = 50_000;
const CHEAP_MARKS = 300;
const DEEP_NESTING = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){20}/m;

export function isCheap(text: string): boolean {
  if (text.length > CHEAP_LENGTH || DEEP_NESTING.test(text)) return false;
  return text.split(/\n[ \t]*\n/).every((part) => (part.match(/[*_$]|\[\^|\\[([]/g)?.length ?? 0) <= CHEAP_MARKS);
}
