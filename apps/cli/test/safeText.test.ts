import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/holds.js';
import { SafeTextStream, safeLine, safeText } from '../src/text/safeText.js';

const ESC = '\u001b';

describe('text of agents', () => {
  it.each([
    ['moving the cursor', `a${ESC}[2J${ESC}[Hb`, 'ab'],
    ['a window title', `a${ESC}]0;owned\u0007b`, 'ab'],
    ['a link', `${ESC}]8;;http://evil${ESC}\\text${ESC}]8;;${ESC}\\`, 'text'],
    ['the clipboard', `${ESC}]52;c;ZWNobw==\u0007x`, 'x'],
    ['a query that the terminal answers', `${ESC}[6n${ESC}[cx`, 'x'],
    ['a device string', `${ESC}P1$r0m${ESC}\\x`, 'x'],
    ['the eight-bit forms', 'a\u009b2Jb\u0090x', 'abx'],
    ['another character set', `${ESC}(0x${ESC}c`, 'x'],
    ['an unfinished sequence', `a${ESC}[`, 'a'],
    ['the bell and backspace', 'a\u0007\b\u0000b', 'ab'],
    ['overwriting a line', 'safe thing\rrm -rf /', 'rm -rf /'],
    ['the line ends of Windows', 'a\r\nb\r\n', 'a\nb\n'],
    ['text that runs backwards', 'a\u202eb\u2066c\u200b', 'a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩'],
    ['tags', 'a\u{e0041}b', 'a⟨U+E0041⟩b'],
    ['hyphens, separators and lines that are not seen', 'a\u00adb\u180ec\u2028d', 'a⟨U+00AD⟩b⟨U+180E⟩c⟨U+2028⟩d'],
    ['old format characters and annotations', 'a\u206ab\ufff9c', 'a⟨U+206A⟩b⟨U+FFF9⟩c'],
    [
      'the flag of England',
      '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
      '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    ],
    ['a line that was overwritten twice', 'one\rtwo\rthree\nfour\r', 'three\nfour'],
    ['lines, tabs and letters', 'a\tb\nä 漢 🎉', 'a\tb\nä 漢 🎉'],
  ])('is shown without being executed: %s', (_what, text, shown) => {
    expect(safeText(text)).toBe(shown);
  });

  it('keeps only colours, where they are wanted', () => {
    const text = `${ESC}[1;31mred${ESC}[0m${ESC}[38:2::1:2:3mx${ESC}[2K`;
    expect(safeText(text, { colour: true })).toBe(`${ESC}[1;31mred${ESC}[0m${ESC}[38:2::1:2:3mx`);
    expect(safeText(text)).toBe('redx');
  });

  it.each([
    ['no end', 'x'],
    ['returns', '\r'],
    ['returns and letters', 'x\r'],
    ['escapes', ESC],
    ['openings', `${ESC}[`],
    ['openings of strings', `${ESC}]`],
    ['numbers', '0'],
  ])('takes linear time for a line of %s', (_what, unit) => {
    // A quadratic expression takes minutes for this; the test would time out.
    const line = unit.repeat(2_000_000 / unit.length);
    safeText(line);
    const stream = new SafeTextStream();
    for (let at = 0; at < line.length; at += 64_000) stream.push(line.slice(at, at + 64_000));
    stream.end();
  });

  it('is one line where one line is wanted', () => {
    expect(safeLine(' a\n\tb\u2028c ')).toBe('a b c');
  });

  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          ESC,
          `${ESC}[`,
          `${ESC}]`,
          '\u0007',
          '\u009b',
          '31m',
          'm',
          '2J',
          '\r',
          '\n',
          '\\',
          '\u202e',
          ';',
        ),
        fc.string({ unit: 'grapheme', maxLength: 4 }),
      ),
      { maxLength: 30 },
    )
    .map((pieces) => pieces.join(''));

  it('never contains anything that a terminal executes', () => {
    holds(
      fc.property(hostile, (text) => {
        const shown = safeText(text);
        expect(shown).not.toMatch(/[^\P{Control}\t\n]/u);
        const coloured = safeText(text, { colour: true })
          .split(new RegExp(`${ESC}\\[[0-9;:]*m`))
          .join('');
        expect(coloured).not.toMatch(/[^\P{Control}\t\n]/u);
      }),
      { numRuns: 2_000 },
    );
  });

  it('may come in pieces: a sequence that is cut in two is still removed', () => {
    holds(
      fc.property(
        hostile.filter((text) => !text.includes('\r')),
        fc.array(fc.nat(40), { maxLength: 8 }),
        (text, cuts) => {
          const stream = new SafeTextStream();
          const places = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].sort((a, b) => a - b);
          const shown = places.map((place, at) => stream.push(text.slice(places[at - 1] ?? 0, place)));
          shown.push(stream.push(text.slice(places.at(-1) ?? 0)), stream.end());
          expect(shown.join('')).not.toMatch(/[^\P{Control}\t\n]/u);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
