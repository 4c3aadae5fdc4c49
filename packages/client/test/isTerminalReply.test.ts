import { describe, expect, it } from 'vitest';
import { isTerminalReply } from '../src/terminals/isTerminalReply.js';

const ESC = '\u001b';

describe('what a terminal sends by itself', () => {
  it.each([
    ['attributes', `${ESC}[?1;2c`],
    ['its version', `${ESC}[>0;276;0c`],
    ['its state', `${ESC}[0n`],
    ['the place of the cursor', `${ESC}[24;80R`],
    ['a mode', `${ESC}[?2004;1$y`],
    ['a colour', `${ESC}]11;rgb:ffff/ffff/ffff${ESC}\\`],
    ['a string', `${ESC}P1$r0m${ESC}\\`],
    ['focus', `${ESC}[I`],
    ['a mouse that is moved', `${ESC}[<35;10;5M`],
    ['two answers at once', `${ESC}[?1;2c${ESC}[0n`],
  ])('is told from keys: %s', (_, data) => expect(isTerminalReply(data)).toBe(true));

  it.each([
    ['letters', 'ls -la'],
    ['Escape', ESC],
    ['an arrow', `${ESC}[A`],
    ['Shift and F3', `${ESC}[1;2R`],
    ['Delete', `${ESC}[3~`],
    ['a click', `${ESC}[<0;10;5M`],
    ['a paste that holds an answer', `x${ESC}[?1;2c`],
    ['an answer and a key', `${ESC}[?1;2cy`],
    ['nothing', ''],
    ['very much', `${ESC}[${'1;'.repeat(100_000)}`],
  ])('is not %s', (_, data) => expect(isTerminalReply(data)).toBe(false));
});
