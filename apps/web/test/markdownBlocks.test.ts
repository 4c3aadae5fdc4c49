import { lexer } from 'marked';
import { describe, expect, it } from 'vitest';
import type { LexedMarkdown } from '../src/markdown/lexMarkdown.js';
import { MarkdownBlocks } from '../src/markdown/markdownBlocks.js';

const TEXTS = [
  'Hello\n\nworld\n===\n\n- a\n- b\n\n  more of b\n\n1. x\n\n\n2. y\n\ntext',
  '```ts\nconst a = 1\n\n\nconst b = 2\n```\n\nafter\n\n~~~\nopen fence\n\nstill open',
  '| a | b |\n|---|---|\n| 1 | 2 |\n\n> quote\nlazy\n\n> again\n\n***\n\n    code\n\n    more code\n',
  'See [this] and [that][x].\n\nA paragraph.\n\nAnother.\n\n[this]: https://example.org\n\nThen [this] again.\n\n[x]: https://example.com "title"\n',
  '<div>\n\nraw html\n\n</div>\n\n# Heading\n## Heading\ntext\r\nwith crlf\r\n\r\n- [ ] todo\n- [x] done\n\n\n\n* other list\n',
  '- a\n\n  ```js\n  x\n\n  y\n  ```\n\n- b\n  1. c\n\n     d\n- e\n\nend\n',
];

/** For texts that need no thread. */
function blocksOf(): MarkdownBlocks {
  return new MarkdownBlocks(
    () => Promise.reject(new Error('a thread was asked')),
    () => {},
  );
}

describe('MarkdownBlocks', () => {
  it.each(TEXTS.map((text, index) => [index, text] as const))(
    'splits text %i letter by letter like the whole text',
    (_, text) => {
      const blocks = blocksOf();
      for (let length = 1; length <= text.length; length += 1) {
        const part = text.slice(0, length);
        expect(blocks.update(part).map((block) => block.token)).toEqual([...lexer(part, { gfm: true })]);
      }
    },
  );

  it('keeps the objects of settled blocks', () => {
    const blocks = blocksOf();
    const before = blocks.update('one\n\ntwo\n\nthree\n\nfour');
    const after = blocks.update('one\n\ntwo\n\nthree\n\nfour and more');
    expect(after.map((block, index) => block === before[index])).toEqual([true, true, true, true, true, true, false]);
  });

  it('starts over with another text', () => {
    const blocks = blocksOf();
    blocks.update('one\n\ntwo\n\nthree');
    expect(blocks.update('other').map((block) => block.token.raw)).toEqual(['other']);
  });

  it.each([
    ['brackets', '['.repeat(300_000)],
    ['emphasis', '*a_'.repeat(20_000)],
    ['quotes', '>'.repeat(50_000)],
    ['numbers', '1. '.repeat(20_000)],
  ])('parses slow text in a worker, and shows it as plain text until then: %s', async (_, hard) => {
    const text = `before\n\nand *more*\n\n${hard}`;
    const thread = Promise.withResolvers<LexedMarkdown>();
    const asked: string[] = [];
    const parsed = Promise.withResolvers<void>();
    const blocks = new MarkdownBlocks((part) => {
      asked.push(part);
      return thread.promise;
    }, parsed.resolve);
    const shown = blocks.update(text);
    expect(shown.map(({ token }) => token.raw).join('')).toBe(text);
    expect(shown.every(({ token }) => token.type === 'html')).toBe(true);
    const lexed = { tokens: [{ type: 'paragraph', raw: asked[0] ?? '', text: '' }], hasDefinitions: false };
    thread.resolve(lexed as LexedMarkdown);
    await parsed.promise;
    expect(blocks.update(text).map(({ token }) => token)).toEqual(lexed.tokens);
    // What is added is shown as it is, behind what was parsed.
    expect(blocks.update(`${text} and`).map(({ token }) => token.raw)).toEqual([text, ' and']);
    expect(asked.length).toBe(2);
  });

  it('asks the worker for the newest version of a growing text, one at a time', async () => {
    const hard = '*a_'.repeat(5_000);
    const asked: string[] = [];
    let answer: (lexed: LexedMarkdown) => void = () => {};
    let heard = Promise.withResolvers<void>();
    const blocks = new MarkdownBlocks(
      (part) => {
        asked.push(part);
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
      () => heard.resolve(),
    );
    for (let n = 0; n < 100; n++) blocks.update(hard + 'x'.repeat(n));
    expect(asked).toEqual([hard]);
    for (const part of [hard, hard + 'x'.repeat(99)]) {
      heard = Promise.withResolvers();
      answer({ tokens: [{ type: 'text', raw: part, text: part }], hasDefinitions: false });
      await heard.promise;
    }
    expect(asked).toEqual([hard, hard + 'x'.repeat(99)]);
    expect(blocks.update(hard + 'x'.repeat(99)).map(({ token }) => token.type)).toEqual(['text']);
  });
});
