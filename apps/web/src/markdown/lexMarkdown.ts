import { Lexer, type Token } from 'marked';

/** The top-level tokens of a markdown text. */
export interface LexedMarkdown {
  readonly tokens: readonly Token[];
  /** The definition of a link reaches back to what was said before it. */
  readonly hasDefinitions: boolean;
}

/** A text past this is cut into pieces that are shown as they are. */
const LONGEST_PIECE = 100_000;

/** Parses it, whatever that costs. */
export function lexMarkdown(text: string): LexedMarkdown {
  const lexer = new Lexer({ gfm: true });
  try {
    const tokens = [...lexer.lex(text)];
    return { tokens, hasDefinitions: Object.keys(lexer.tokens.links).length > 0 };
  } catch (error) {
    // Nested a thousand deep, say. The reader still gets the text.
    if (error instanceof Error) return asPlain(text);
    throw error;
  }
}

/** The text as it is. */
export function asPlain(text: string): LexedMarkdown {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at += LONGEST_PIECE) {
    const raw = text.slice(at, at + LONGEST_PIECE);
    tokens.push({ type: 'html', raw, text: raw, block: true, pre: false });
  }
  return { tokens, hasDefinitions: false };
}

/**
 * Some of the lexer's rules cost the square of what they look at: 60 kB of `*a_` take a minute. What is not too long and has, in each
 * of its paragraphs, few marks of emphasis and little nesting takes milliseconds; the rest is parsed in a thread.
 */
const CHEAP_LENGTH = 50_000;
const CHEAP_MARKS = 300;
const DEEP_NESTING = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){20}/m;

export function isCheap(text: string): boolean {
  if (text.length > CHEAP_LENGTH || DEEP_NESTING.test(text)) return false;
  return text.split(/\n[ \t]*\n/).every((part) => (part.match(/[*_]/g)?.length ?? 0) <= CHEAP_MARKS);
}
