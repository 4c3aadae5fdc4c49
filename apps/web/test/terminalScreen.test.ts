import { describe, expect, it } from 'vitest';
import { terminalScreen } from '../src/terminal/terminalScreen.js';

const ESC = '\x1b';

describe('terminalScreen', () => {
  it.each([
    ['plain text', 'a\nb', 'a\nb'],
    ['CRLF', 'a\r\nb\r\n', 'a\nb\n'],
    ['a carriage return that writes over', '10%\r20%\r100%', '100%'],
    ['a shorter text over a longer one', 'abcdef\rxy', 'xycdef'],
    ['erase to the end of the line', `abcdef\rxy${ESC}[K`, 'xy'],
    ['erase the whole line', `abc${ESC}[2K\rz`, 'z'],
    ['backspaces', 'abc\b\bX', 'aXc'],
    ['a line above is written over', `one\ntwo${ESC}[1A\r1`, '1ne\ntwo'],
    ['a progress display of two lines', `a 1\nb 1\n${ESC}[2Aa 2\nb 2\n`, 'a 2\nb 2\n'],
    ['a column', `abc${ESC}[2GX`, 'aXc'],
    ['a title', `${ESC}]0;evil title\x07text`, 'text'],
    ['a link of OSC 8', `${ESC}]8;;file:///etc/passwd${ESC}\\click${ESC}]8;;${ESC}\\`, 'click'],
    ['the clipboard by OSC 52', `${ESC}]52;c;aGk=\x07ok`, 'ok'],
    ['a device string', `${ESC}Pq#0;2;0;0;0${ESC}\\ok`, 'ok'],
    ['an unfinished string', `ok${ESC}]0;never ends`, 'ok'],
    ['modes and other sequences', `${ESC}[?25l${ESC}[?1049hx${ESC}(B${ESC}=y`, 'xy'],
    ['C1 controls', '\x9d0;title\x07ok\x85', 'ok'],
    ['bells and NULs', 'a\x07\0b', 'ab'],
    ['a half sequence at the end', `ok${ESC}[3`, 'ok'],
  ])('%s', (_, output, expected) => {
    expect(terminalScreen(output)).toBe(expected);
  });

  it('keeps colours', () => {
    expect(terminalScreen(`${ESC}[31mred${ESC}[0m plain`)).toBe(`${ESC}[31mred${ESC}[0m plain`);
  });

  it('keeps the colours of text that was not overwritten', () => {
    expect(terminalScreen(`${ESC}[31mred${ESC}[0m\rX`)).toBe(`X${ESC}[0m${ESC}[31med`);
  });

  it('does not grow for a cursor that is moved far away', () => {
    expect(terminalScreen(`a${ESC}[9999Cb`).length).toBeLessThan(2100);
  });
});
