import { lexer } from 'marked';
import { describe, expect, it } from 'vitest';
import { MarkdownBlocks } from '../src/markdown/markdownBlocks.js';

const TEXTS = [
  'Hello\n\nworld\n===\n\n- a\n- b\n\n  more of b\n\n1. x\n\n\n2. y\n\ntext',
  '```ts\nconst a = 1\n\n\nconst b = 2\n```\n\nafter\n\n~~~\nopen fence\n\nstill open',
  '| a | b |\n|---|---|\n| 1 | 2 |\n\n> quote\nlazy\n\n> again\n\n***\n\n    code\n\n    more code\n',
  'See [this] and [that][x].\n\nA paragraph.\n\nAnother.\n\n[this]: https://example.org\n\nThen [this] again.\n\n[x]: https://example.com "title"\n',
  '<div>\n\nraw html\n\n</div>\n\n# Heading\n## Heading\ntext\r\nwith crlf\r\n\r\n- [ ] todo\n- [x] done\n\n\n\n* other list\n',
  '- a\n\n  ```js\n  x\n\n  y\n  ```\n\n- b\n  1. c\n\n     d\n- e\n\nend\n',
];

describe('MarkdownBlocks', () => {
  it.each(TEXTS.map((text, index) => [index, text] as const))(
    'text %i, letter by letter, is split as the whole is',
    (_, text) => {
      const blocks = new MarkdownBlocks();
      for (let length = 1; length <= text.length; length += 1) {
        const part = text.slice(0, length);
        expect(blocks.update(part).map((block) => block.token)).toEqual([...lexer(part, { gfm: true })]);
      }
    },
  );

  it('keeps the objects of settled blocks', () => {
    const blocks = new MarkdownBlocks();
    const before = blocks.update('one\n\ntwo\n\nthree\n\nfour');
    const after = blocks.update('one\n\ntwo\n\nthree\n\nfour and more');
    expect(after.map((block, index) => block === before[index])).toEqual([true, true, true, true, true, true, false]);
  });

  it('starts over with another text', () => {
    const blocks = new MarkdownBlocks();
    blocks.update('one\n\ntwo\n\nthree');
    expect(blocks.update('other').map((block) => block.token.raw)).toEqual(['other']);
  });

  it('shows what nobody can parse in time as it is', () => {
    const text = `${'['.repeat(300_000)}\n\nend`;
    const shown = new MarkdownBlocks().update(text);
    expect(shown.map((block) => block.token.raw).join('')).toBe(text);
  });

  it('shows what is nested without end', () => {
    const text = '>'.repeat(50_000);
    expect(
      new MarkdownBlocks()
        .update(text)
        .map((block) => block.token.raw)
        .join(''),
    ).toBe(text);
  });
});
