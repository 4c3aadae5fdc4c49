import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { SessionHandle } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Terminal } from '../../../test/support/terminal.js';
import { startTestHost, type TestHost } from '../../../test/support/testHost.js';
import { until } from '../../../test/support/until.js';

const CLI = join(import.meta.dirname, '../dist/main.js');
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_T = '\u0014';

describe('typing into a running command', () => {
  let host: TestHost;
  let session: SessionHandle;
  let terminal: Terminal | undefined;

  beforeEach(async () => {
    host = await startTestHost();
    session = await (await host.connect()).createSession({ provider: 'shell' });
    await session.ready();
  });
  afterEach(async () => {
    await terminal?.dispose();
    terminal = undefined;
    await host.dispose();
  });

  const outputOf = () => {
    const { activeTurn, turns } = session.confirmed.value;
    const [call] = Object.values(activeTurn?.toolCalls ?? {});
    const last = call ?? turns.at(-1)?.toolCalls[0];
    return (last && 'output' in last && last.output?.text) || '';
  };
  const printed = (text: string) => until(session.confirmed, () => outputOf().includes(text), text);
  const ended = () => until(session.confirmed, ({ activeTurn }) => activeTurn === undefined, 'the end');
  async function run(command: string): Promise<void> {
    await session.send(command);
    const [question] = await until(session.pendingConfirmations, (prompts) => prompts.length === 1, 'the question');
    await question?.approve();
    await printed('ready');
  }
  function input(args: readonly string[], typed = ''): Promise<{ code: number | null; stderr: string }> {
    const env = { PATH: process.env['PATH'] ?? '', AGENTHOST_HOME: host.stateDir };
    const child = spawn(process.execPath, [CLI, 'input', session.uri, ...args], { env });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.stdin.end(typed);
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })));
  }

  it('works from the command line: lines, standard input, Ctrl+D and Ctrl+C', async () => {
    expect((await input(['yes'])).stderr).toContain('No command runs in this session that takes input.');
    expect((await input([])).code).toBe(2);
    await run('echo ready; read a; echo "a=$a"; cat; sh -c "echo up$((40 + 2)); exec sleep 1000"');
    expect(await input(['two', 'words'])).toEqual({ code: 0, stderr: '' });
    await printed('a=two words');
    expect(await input(['-', '--eof'], 'one\ntwo\n')).toEqual({ code: 0, stderr: '' });
    await printed('up42');
    // Each line as it was typed, and as the program printed it.
    expect(
      outputOf()
        .match(/one|two(?! words)/g)
        ?.toSorted(),
    ).toEqual(['one', 'one', 'two', 'two']);
    expect(await input(['--interrupt'])).toEqual({ code: 0, stderr: '' });
    await ended();
    expect(session.confirmed.value.turns.at(-1)?.toolCalls[0]).toMatchObject({ result: { exitCode: 130 } });
  });

  it('works in attach, with a key that the last row names', async () => {
    await run('echo ready; read a; echo "a=$a"; cat; sh -c "echo up$((40 + 2)); exec sleep 1000"');
    const env = { AGENTHOST_HOME: host.stateDir };
    terminal = Terminal.inShell(['attach', session.uri], { env, cwd: host.stateDir, columns: 140, rows: 30 });
    await terminal.until('Ctrl+T type into the command');
    terminal.type(CTRL_T);
    await terminal.until('Ctrl+C interrupt the command');
    terminal.type('Ada\r');
    await terminal.until('a=Ada');
    terminal.type(CTRL_D);
    await terminal.until('up42');
    terminal.type(CTRL_C);
    await ended();
    expect(session.confirmed.value.turns.at(-1)).toMatchObject({
      state: 'complete',
      toolCalls: [{ result: { exitCode: 130 } }],
    });
    // Without a command the line is gone with the next key, and what is typed is no message.
    terminal.type('x');
    await terminal.until('The command has ended.');
  });
});
