import type { Token } from 'marked';
import { asPlain, isCheap, type LexedMarkdown, lexMarkdown } from './lexMarkdown.js';

/** A top-level piece of a markdown text. The same object as long as its text and its links are the same. */
export interface MarkdownBlock {
  /** Where it begins in the text; stays the same while text is added at the end. */
  readonly at: number;
  readonly token: Token;
}

/**
 * Splits a growing markdown text into blocks without looking at all of it again.
 *
 * What is added at the end can change the last two blocks (a list that goes on after a blank line, a paragraph that becomes a
 * heading or a table); those before them are settled. Only the definition of a link reaches back: a text with one is split as a
 * whole each time.
 *
 * A part that may take long to parse is parsed elsewhere: until then it is shown as it is, or as far as it was parsed before.
 */
export class MarkdownBlocks {
  readonly #parseElsewhere: (text: string) => Promise<LexedMarkdown>;
  readonly #onParsed: () => void;
  /** The part that was parsed elsewhere last, and whether another one is on its way. */
  #parsed: { readonly text: string; readonly lexed: LexedMarkdown } | undefined;
  #wanted: string | undefined;
  #isParsing = false;
  #text = '';
  #blocks: readonly MarkdownBlock[] = [];
  #hasDefinitions = false;
  /** How many blocks are sure while the rest waits to be parsed elsewhere; `undefined` when nothing waits. */
  #sure: number | undefined;

  /** `onParsed` is called when `update` would answer otherwise for the same text. */
  constructor(parseElsewhere: (text: string) => Promise<LexedMarkdown>, onParsed: () => void) {
    this.#parseElsewhere = parseElsewhere;
    this.#onParsed = onParsed;
  }

  update(source: string): readonly MarkdownBlock[] {
    const text = source.replace(/\r\n?/g, '\n');
    if (text === this.#text && this.#sure === undefined) return this.#blocks;
    const grew = text.startsWith(this.#text);
    if (!grew) this.#hasDefinitions = false;
    const settled = grew && !this.#hasDefinitions ? this.#settledBlocks() : [];
    const last = settled.at(-1);
    const from = last ? last.at + last.token.raw.length : 0;
    let { tokens, hasDefinitions, isSure } = this.#lex(text.slice(from));
    if (hasDefinitions && from > 0) ({ tokens, hasDefinitions, isSure } = this.#lex(text));
    const kept = hasDefinitions ? [] : settled;
    // What was shown as it is has the same text as what it is parsed to, but is not the same.
    const earlier = this.#sure === undefined ? this.#blocks.slice(kept.length) : [];
    this.#sure = isSure ? undefined : kept.length;
    this.#blocks = [...kept, ...placed(tokens, hasDefinitions ? 0 : from, earlier)];
    this.#hasDefinitions = hasDefinitions;
    this.#text = text;
    return this.#blocks;
  }

  #lex(text: string): LexedMarkdown & { readonly isSure: boolean } {
    if (isCheap(text)) return { ...lexMarkdown(text), isSure: true };
    if (this.#parsed?.text === text) return { ...this.#parsed.lexed, isSure: true };
    this.#wanted = text;
    if (!this.#isParsing) void this.#parse();
    const { text: before = '', lexed } = this.#parsed ?? {};
    if (!lexed || !text.startsWith(before)) return { ...asPlain(text), isSure: false };
    return { ...lexed, tokens: [...lexed.tokens, ...asPlain(text.slice(before.length)).tokens], isSure: false };
  }

  /** One at a time: of a text that grows meanwhile only the newest is parsed next. */
  async #parse(): Promise<void> {
    this.#isParsing = true;
    while (this.#wanted !== undefined) {
      const text = this.#wanted;
      this.#wanted = undefined;
      this.#parsed = { text, lexed: await this.#parseElsewhere(text) };
      this.#onParsed();
    }
    this.#isParsing = false;
  }

  #settledBlocks(): MarkdownBlock[] {
    if (this.#sure !== undefined) return this.#blocks.slice(0, this.#sure);
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
