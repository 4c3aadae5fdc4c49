import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Scrollback } from '../../src/terminals/scrollback.js';

const ESC = '\u001b';

async function shown(data: string): Promise<{ text: string; type: string; bracketed: boolean }> {
  const terminal = new xterm.Terminal({
    cols: 40,
    rows: 8,
    scrollback: 5_000,
    allowProposedApi: true,
    logLevel: 'off',
  });
  await new Promise<void>((resolve) => terminal.write(data, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: terminal.rows }, (_, at) => active.getLine(active.baseY + at));
  const text = lines.map((line) => line?.translateToString(true) ?? '').join('\n');
  return { text, type: active.type, bracketed: terminal.modes.bracketedPasteMode };
}

describe('the newest output of a terminal', () => {
  it('shows the same screen as all of it, however it was cut', async () => {
    const word = fc.constantFrom(
      'text ',
      'a€😀b',
      `${ESC}[31m`,
      `${ESC}[0m`,
      `${ESC}[1;34m`,
      `${ESC}]0;a title\u0007`,
      '\r\n',
      '\r\n',
      `${ESC}[?2004h`,
      `${ESC}[?2004l`,
    );
    const output = fc.array(word, { minLength: 200, maxLength: 800 }).map((words) => words.join(''));
    await fc.assert(
      fc.asyncProperty(output, fc.integer({ min: 1, max: 97 }), async (text, size) => {
        const scrollback = new Scrollback(1_000);
        const letters = [...text];
        for (let at = 0; at < letters.length; at += size) scrollback.push(letters.slice(at, at + size).join(''));
        scrollback.push(`\r\n${'line\r\n'.repeat(10)}end`);
        const [all, kept] = [await shown(`${text}\r\n${'line\r\n'.repeat(10)}end`), await shown(scrollback.screen())];
        expect(kept).toEqual(all);
      }),
      { numRuns: 60 },
    );
  });

  it('is bounded, also for single letters', () => {
    const scrollback = new Scrollback(10_000);
    for (let at = 0; at < 300_000; at++) scrollback.push('x');
    expect(scrollback.screen().length).toBeLessThan(10_000 + 4_096 + 100);
    expect(scrollback.offset).toBe(300_000);
  });

  it('knows that a program draws on the other screen', async () => {
    const scrollback = new Scrollback(1_000);
    scrollback.push(`${ESC}[?10`);
    scrollback.push(`49h${'x'.repeat(5_000)}`);
    scrollback.push('y'.repeat(5_000));
    expect(scrollback.isIncomplete).toBe(true);
    expect((await shown(scrollback.screen())).type).toBe('alternate');
    scrollback.push(`${ESC}[?1049l`.padEnd(5_000));
    scrollback.push('z'.repeat(5_000));
    scrollback.push('z'.repeat(5_000));
    expect(scrollback.isIncomplete).toBe(false);
  });
});
