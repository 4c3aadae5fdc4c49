import type { Token } from 'marked';
import { asPlain, isCheap, type LexedMarkdown, lexMarkdown } from './lexMarkdown.js';

/** A top-level piece of a markdown text. It is the same object while its text and its links are the same. */
export interface MarkdownBlock {
  /** Where it begins in the text; stable while text is appended. */
  readonly at: number;
  readonly token: Token;
}

/**
 * Splits a growing markdown text into blocks without reading all of it again.
 *
 * Appended text can change the last two blocks (a list that continues after a blank line, a paragraph that becomes a heading or
 * a table); earlier ones are settled. Only the definition of a link reaches back: a text with one is split as a
 * whole each time.
 *
 * A part that may take long is parsed in a worker: until then it is shown as plain text, or as far as it was parsed before.
 */
export class MarkdownBlocks {
  readonly #parseElsewhere: (text: string) => Promise<LexedMarkdown>;
  readonly #onParsed: () => void;
  /** The last part that was parsed in the worker, and whether another one is pending. */
  #parsed: { readonly text: string; readonly lexed: LexedMarkdown } | undefined;
  #wanted: string | undefined;
  #isParsing = false;
  #text = '';
  #blocks: readonly MarkdownBlock[] = [];
  #hasDefinitions = false;
  /** How many blocks are settled while the rest is being parsed; `undefined` when nothing is pending. */
  #sure: number | undefined;

  /** `onParsed` is called when `update` would return something else for the same text. */
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
    // A plain block has the same text as its parsed form, but is not the same.
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

  /** One at a time: for a growing text only the newest version is parsed next. */
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
    // With another definition the same text can be another link, so equal text is not enough.
    const block = known?.at === at && known.token.raw === token.raw && !token.raw.includes('[') ? known : { at, token };
    at += token.raw.length;
    return block;
  });
}
