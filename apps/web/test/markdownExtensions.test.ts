import type { Token } from 'marked';
import { describe, expect, it } from 'vitest';
import { isCheap, lexMarkdown } from '../src/markdown/lexMarkdown.js';

function kinds(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    const inner = 'tokens' in token && token.tokens ? kinds(token.tokens) : [];
    return token.type === 'math' ? [`math ${token['text']}`] : [token.type, ...inner];
  });
}
const lexed = (text: string) => kinds(lexMarkdown(text).tokens);

describe('formulas', () => {
  it.each([
    ['So $a^2+b^2=c^2$.', 'math a^2+b^2=c^2'],
    ['So \\(x_1\\) too.', 'math x_1'],
    ['$$\n\\int_0^1 x\\,dx\n$$', 'math \\int_0^1 x\\,dx'],
    ['\\[ E = mc^2 \\]', 'math E = mc^2'],
    ['$x$', 'math x'],
  ])('%j', (text, wanted) => {
    expect(lexed(text)).toContain(wanted);
  });

  it.each(['It costs $5 and $10.', 'From $5 to 10$ or so', '$HOME/$PATH', 'a $ b $ c', '`$x^2$`', '$$', 'only $x'])(
    'not %j',
    (text) => {
      expect(lexed(text).filter((kind) => kind.startsWith('math'))).toEqual([]);
    },
  );
});

describe('footnotes', () => {
  it('have marks and texts', () => {
    const tokens = lexed('Said so.[^1]\n\n[^1]: By *whom*.');
    expect(tokens).toEqual(expect.arrayContaining(['footnoteMark', 'footnote', 'em']));
    expect(lexMarkdown('[^1]: Text').hasDefinitions).toBe(false);
  });
});

it.each([
  ['dollars', '$a'.repeat(20_000)],
  ['dollars in lines', '$$\n'.repeat(20_000)],
  ['brackets', '\\('.repeat(20_000)],
  ['footnotes', '[^1'.repeat(15_000)],
  ['keys', '<kbd>'.repeat(10_000)],
])('many %s are parsed in a bounded time, or in the worker', (_, text) => {
  if (!isCheap(text)) return;
  const start = performance.now();
  lexMarkdown(text);
  expect(performance.now() - start).toBeLessThan(2_000);
});
