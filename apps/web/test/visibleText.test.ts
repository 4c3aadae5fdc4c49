import { expect, it } from 'vitest';
import { visibleText } from '../src/text/visibleText.js';

it('keeps ordinary text of any script unchanged', () => {
  for (const text of ['npm test', 'a\tb\nc', 'שלום עולם', 'مرحبا', '👩‍👩‍👧 نمی‌دانم', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 flag', 'naïve — “quoted”'])
    expect(visibleText(text)).toBe(text);
});

it.each([
  ['a command that reads backwards', 'rm \u202e txt.exe', 'rm [U+202E] txt.exe'],
  ['isolates', '/*\u2066 } \u2069*/', '/*[U+2066] } [U+2069]*/'],
  ['marks of direction', '\u200e\u200f\u061c', '[U+200E][U+200F][U+061C]'],
  ['every embedding', '\u202a\u202b\u202c\u202d', '[U+202A][U+202B][U+202C][U+202D]'],
  ['what has no width', 'pay\u200bpal\u2060\ufeff\u00ad', 'pay[U+200B]pal[U+2060][U+FEFF][U+00AD]'],
  ['tags that spell a hidden text', 'hi\u{e0041}\u{e0042}', 'hi[U+E0041][U+E0042]'],
  ['a flag keeps its tags, what follows it does not', '🏴󠁧󠁢󠁥󠁮󠁧󠁿\u{e0041}', '🏴󠁧󠁢󠁥󠁮󠁧󠁿[U+E0041]'],
  ['line separators', 'a\u2028b\u2029c', 'a[U+2028]b[U+2029]c'],
])('writes out %s', (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

it.each([
  ['colours', '\x1b[31mred\x1b[0m', 'red'],
  ['a title', '\x1b]0;pwned\x07safe', 'safe'],
  ['a link', '\x1b]8;;http://evil.test\x1b\\text\x1b]8;;\x1b\\', 'text'],
  ['the clipboard', '\x1b]52;c;cm0gLXJm\x07x', 'x'],
  ['8-bit sequences', '\x9b31mred\x9d0;title\x9c!', 'red!'],
  ['device strings', '\x1bPq#0\x1b\\ok', 'ok'],
  ['an unfinished one', 'a\x1b]0;never ends', 'a'],
  ['other controls', 'a\x00b\x07c\x7fd\x85e', 'abcde'],
])('removes %s', (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

it('takes linear time for any text', () => {
  const started = performance.now();
  for (const piece of ['\x1b[', '\x1b]', '\u202e', '🏴', '🏴\u{e0067}', '\x9b0;', '\x1bP'])
    expect(visibleText(piece.repeat(100_000))).toBeTypeOf('string');
  expect(performance.now() - started).toBeLessThan(10_000);
});
