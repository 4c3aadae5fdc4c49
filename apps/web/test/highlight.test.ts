import { describe, expect, it } from 'vitest';
import { boundedTokens } from '../src/markdown/highlightedLines.js';
import { languageName } from '../src/markdown/languageName.js';

describe('coloured lines', () => {
  const token = (content: string, color?: string) => ({ content, ...(color && { color }) });

  it('join neighbours of one colour, and white space with the span before it', () => {
    expect(boundedTokens([[token('a', 'red'), token('b', 'red'), token('  '), token('c')]])).toEqual([
      [
        { text: 'ab  ', color: 'red' },
        { text: 'c', color: undefined },
      ],
    ]);
  });

  it('are plain after too many spans, and lose no text', () => {
    const lines = Array.from({ length: 10 }, (_, row) => [token(`${row}`, 'red'), token('x', 'blue')]);
    const bounded = boundedTokens(lines, 7);
    expect(bounded.flat().length).toBeLessThanOrEqual(7 + 10);
    expect(bounded.map((line) => line.map(({ text }) => text).join(''))).toEqual(lines.map((_, row) => `${row}x`));
    expect(bounded.at(-1)).toEqual([{ text: '9x', color: undefined }]);
  });
});

describe('the name of a language', () => {
  it.each([
    ['shellscript', 'bash'],
    ['powershell', 'powershell'],
    ['pwsh', 'powershell'],
    ['SH', 'bash'],
    ['ts {1,3}', 'typescript'],
    ['constructor', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('of %j is %j', (language, name) => {
    expect(languageName(language)).toBe(name);
  });
});
