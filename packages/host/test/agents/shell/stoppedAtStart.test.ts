import { expect, it } from 'vitest';
import { findShell } from '../../../src/agents/shell/findShell.js';
import { runShellCommand } from '../../../src/agents/shell/shellCommand.js';
import { TerminalInput } from '../../../src/agents/shell/terminalInput.js';

it('a command that is stopped while its terminal is loaded is not run, and ends', async () => {
  const shell = await findShell(undefined);
  if (!shell) throw new Error('no shell');
  const stopping = new AbortController();
  const output: string[] = [];
  const running = runShellCommand({
    shell,
    command: 'echo ran',
    // It is read right before the terminal is loaded.
    get cwd() {
      stopping.abort();
      return '/';
    },
    env: new Map([['PATH', process.env['PATH'] ?? '']]),
    terminalId: crypto.randomUUID(),
    signal: stopping.signal,
    input: new TerminalInput(),
    onOutput: (text) => output.push(text),
  });
  await expect(running).rejects.toThrow(/abort/i);
  expect(output).toEqual([]);
});
