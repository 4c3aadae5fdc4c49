import { Marked, type TokenizerAndRendererExtension, type Tokens } from 'marked';

/** A formula in TeX. */
export interface MathToken extends Tokens.Generic {
  readonly type: 'math';
  readonly text: string;
  /** On lines of its own. */
  readonly isBlock: boolean;
}

export interface FootnoteToken extends Tokens.Generic {
  readonly type: 'footnote' | 'footnoteMark';
  readonly name: string;
}

const BLOCK_MATH = /^ {0,3}(?:\$\$([^$]{1,4000})\$\$|\\\[((?:(?!\\\])[\s\S]){1,4000})\\\])[ \t]*(?:\n+|$)/;
/** As in other writers of markdown: no space inside of the dollars, and no word right after them, so that prices stay prices. */
const INLINE_MATH = /^\$(?![\s$])((?:\\.|[^\\$\n]){1,1000}?)(?<!\s)\$(?![0-9A-Za-z$])/;
const PAREN_MATH = /^\\\(((?:(?!\\\))[^\n]){1,1000})\\\)/;
const FOOTNOTE = /^ {0,3}\[\^([^\]\s]{1,40})\]:[ \t]+([^\n]*(?:\n(?: {2,}|\t)[^\n]+)*)(?:\n+|$)/;
const FOOTNOTE_MARK = /^\[\^([^\]\s]{1,40})\](?!:)/;
/** A text with only digits and words between two dollars is about money. */
const IS_FORMULA = /[\\^_{}=+<>]|^[A-Za-z]/;

const math: TokenizerAndRendererExtension = {
  name: 'math',
  level: 'block',
  start: (source) => source.match(/(?:^|\n) {0,3}(?:\$\$|\\\[)/)?.index,
  tokenizer: (source) => {
    const found = BLOCK_MATH.exec(source);
    const text = found?.[1] ?? found?.[2];
    if (!found || text === undefined || text.trim() === '') return undefined;
    return { type: 'math', raw: found[0], text: text.trim(), isBlock: true };
  },
};

const inlineMath: TokenizerAndRendererExtension = {
  name: 'inlineMath',
  level: 'inline',
  start: (source) => firstOf(source, '$', '\\('),
  tokenizer: (source) => {
    const found = INLINE_MATH.exec(source) ?? PAREN_MATH.exec(source);
    if (!found?.[1] || !IS_FORMULA.test(found[1])) return undefined;
    return { type: 'math', raw: found[0], text: found[1], isBlock: false };
  },
};

const footnote: TokenizerAndRendererExtension = {
  name: 'footnote',
  level: 'block',
  start: (source) => source.match(/(?:^|\n) {0,3}\[\^/)?.index,
  tokenizer(source) {
    const [raw, name, text] = FOOTNOTE.exec(source) ?? [];
    if (raw === undefined || name === undefined || text === undefined) return undefined;
    return { type: 'footnote', raw, name, tokens: this.lexer.inline(text.replace(/\n\s+/g, '\n')) };
  },
};

const footnoteMark: TokenizerAndRendererExtension = {
  name: 'footnoteMark',
  level: 'inline',
  start: (source) => firstOf(source, '[^'),
  tokenizer: (source) => {
    const [raw, name] = FOOTNOTE_MARK.exec(source) ?? [];
    return raw === undefined ? undefined : { type: 'footnoteMark', raw, name };
  },
};

/** The options of a lexer that knows formulas and footnotes. */
export const LEXER_OPTIONS = new Marked({ gfm: true }).use({
  extensions: [math, inlineMath, footnote, footnoteMark],
}).defaults;

function firstOf(source: string, ...marks: readonly string[]): number | undefined {
  const places = marks.map((mark) => source.indexOf(mark)).filter((at) => at !== -1);
  return places.length === 0 ? undefined : Math.min(...places);
}
