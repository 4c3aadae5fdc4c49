import { describe, expect, it } from 'vitest';
import { showCommand, showHiddenCharacters } from '../src/hiddenCharacters.js';

const show = (name: string) => `[${name}]`;

describe('a command in a question', () => {
  it.each([
    ['a title of a terminal', 'echo \u001b]0;; rm -rf / ;\u0007', 'echo [U+001B]]0;; rm -rf / ;[U+0007]'],
    ['a colour', '\u001b[8mrm\u001b[0m x', '[U+001B][8mrm[U+001B][0m x'],
    ['a return', 'rm -rf /\rls', 'rm -rf /[U+000D]ls'],
    ['steps back', 'rm\b\bls', 'rm[U+0008][U+0008]ls'],
    ['an eight-bit sequence', '\u009b8mrm', '[U+009B]8mrm'],
    ['another direction', 'rm \u202etxt', 'rm [U+202E]txt'],
    ['lines of Windows', 'a\r\n\tb\n', 'a\n\tb\n'],
  ])('keeps every character: %s', (_, command, shown) => {
    expect(showCommand(command, show)).toBe(shown);
  });

  it('takes linear time', () => {
    const command = '\u001b]\r'.repeat(300_000);
    expect(showCommand(command, show).length).toBe(300_000 * '[U+001B]][U+000D]'.length);
  });
});

describe('other text', () => {
  it('has hidden characters written out, and keeps flags and joiners', () => {
    const england = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
    expect(showHiddenCharacters(`a\u200bb ${england} \u200d`, show)).toBe(`a[U+200B]b ${england} \u200d`);
  });
});
