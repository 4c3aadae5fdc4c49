import { Lexer, type Token } from 'marked';

/** A top-level piece of a markdown text. The same object as long as its text and its links are the same. */
export interface MarkdownBlock {
  /** Where it begins in the text; stays the same while text is added at the end. */
  readonly at: number;
  readonly token: Token;
}

/** A text past this is cut into pieces that are shown as they are: some of the lexer's rules take the square of a paragraph's length. */
const LONGEST_BLOCK = 100_000;

/**
 * Splits a growing markdown text into blocks without looking at all of it again.
 *
 * What is added at the end can change the last two blocks (a list that goes on after a blank line, a paragraph that becomes a
 * heading or a table); those before them are settled. Only the definition of a link reaches back: a text with one is split as a
 * whole each time.
 */
export class MarkdownBlocks {
  #text = '';
  #blocks: readonly MarkdownBlock[] = [];
  #hasDefinitions = false;

  update(source: string): readonly MarkdownBlock[] {
    const text = source.replace(/\r\n?/g, '\n');
    if (text === this.#text) return this.#blocks;
    const grew = text.startsWith(this.#text);
    if (!grew) this.#hasDefinitions = false;
    const settled = grew && !this.#hasDefinitions ? this.#settledBlocks() : [];
    const last = settled.at(-1);
    const from = last ? last.at + last.token.raw.length : 0;
    let { tokens, hasDefinitions } = lex(text.slice(from));
    if (hasDefinitions && from > 0) ({ tokens, hasDefinitions } = lex(text));
    const kept = hasDefinitions ? [] : settled;
    this.#blocks = [...kept, ...placed(tokens, hasDefinitions ? 0 : from, this.#blocks.slice(kept.length))];
    this.#hasDefinitions = hasDefinitions;
    this.#text = text;
    return this.#blocks;
  }

  #settledBlocks(): MarkdownBlock[] {
    let open = 2;
    let end = this.#blocks.length;
    while (end > 0 && open > 0) {
      end -= 1;
      if (this.#blocks[end]?.token.type !== 'space') open -= 1;
    }
    return this.#blocks.slice(0, end);
  }
}

function placed(tokens: readonly Token[], from: number, earlier: readonly MarkdownBlock[]): MarkdownBlock[] {
  let at = from;
  return tokens.map((token, index) => {
    const known = earlier[index];
    // With another definition the same text can be another link, so equal text is not enough there.
    const block = known?.at === at && known.token.raw === token.raw && !token.raw.includes('[') ? known : { at, token };
    at += token.raw.length;
    return block;
  });
}

function lex(text: string): { tokens: readonly Token[]; hasDefinitions: boolean } {
  const lexer = new Lexer({ gfm: true });
  try {
    const tokens = tooLong(text) ? asPlain(text) : lexer.lex(text);
    return { tokens, hasDefinitions: Object.keys(lexer.tokens.links).length > 0 };
  } catch (error) {
    // Nested a thousand deep, say. The reader still gets the text.
    if (error instanceof Error) return { tokens: asPlain(text), hasDefinitions: false };
    throw error;
  }
}

function tooLong(text: string): boolean {
  return text.length > LONGEST_BLOCK && text.split(/\n[ \t]*\n/).some((part) => part.length > LONGEST_BLOCK);
}

function asPlain(text: string): Token[] {
  const pieces: Token[] = [];
  for (let at = 0; at < text.length; at += LONGEST_BLOCK) {
    const raw = text.slice(at, at + LONGEST_BLOCK);
    pieces.push({ type: 'html', raw, text: raw, block: true, pre: false });
  }
  return pieces;
}
