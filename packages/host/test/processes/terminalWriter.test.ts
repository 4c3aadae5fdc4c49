import * as pty from '@lydell/node-pty';
import { expect, it } from 'vitest';
import { TerminalWriter } from '../../src/processes/terminalWriter.js';

it('types all of it into a program that reads late, and does not block meanwhile', async () => {
  // The end marks are parts, so that the echo of the command is none.
  const script = 'stty raw -echo; printf "rea""dy"; sleep 0.2; head -c 200000 | wc -c';
  const terminal = pty.spawn('/bin/sh', ['-c', script], { cols: 80, rows: 24 });
  let output = '';
  const printed = (text: string) =>
    new Promise<void>((resolve) => {
      terminal.onData(() => {
        if (output.includes(text)) resolve();
      });
    });
  terminal.onData((data) => {
    output += data;
  });
  const exited = new Promise((resolve) => terminal.onExit(resolve));
  const writer = new TerminalWriter();
  writer.write('x'.repeat(1_000));
  await printed('ready');
  writer.attach(terminal);
  writer.write('x'.repeat(199_000));
  expect(writer.waitingBytes).toBeGreaterThan(50_000);
  await exited;
  expect(output).toContain('200000');
  writer.write('late');
  expect(writer.isOver).toBe(true);
});
