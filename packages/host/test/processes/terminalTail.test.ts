import { spawn } from '@lydell/node-pty';
import { describe, expect, it } from 'vitest';
import { keepTail } from '../../src/processes/terminalTail.js';

describe("the last output of a terminal's process", () => {
  it.each([1, 100])('is kept although it was not read before the terminal was destroyed: %i times', async (times) => {
    const text = 'ä'.repeat(7);
    const terminal = spawn(
      '/bin/sh',
      ['-c', `i=0; while [ $i -lt ${times} ]; do printf ${text}; i=$((i+1)); done`],
      {},
    );
    keepTail(terminal);
    let output = '';
    terminal.onData((piece) => {
      output += piece;
    });
    terminal.pause();
    const { exitCode } = await new Promise<{ exitCode: number }>((resolve) => terminal.onExit(resolve));
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: text.repeat(times) });
  });

  it('is not waited for while another process keeps printing', async () => {
    const terminal = spawn('/bin/sh', ['-c', 'trap "" HUP; yes & exit 0'], {});
    keepTail(terminal);
    let length = 0;
    terminal.onData((piece) => {
      length += piece.length;
    });
    terminal.pause();
    await new Promise((resolve) => terminal.onExit(resolve));
    expect(length).toBeLessThan(4 * 1024 * 1024);
  });
});
