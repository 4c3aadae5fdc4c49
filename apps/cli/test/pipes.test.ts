import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRestartableHost } from '../../../test/support/restartableHost.js';
import { Terminal } from '../../../test/support/terminal.js';
import { startTestHost, type TestHost } from '../../../test/support/testHost.js';
import { until } from '../../../test/support/until.js';

const CLI = join(import.meta.dirname, '../dist/main.js');
const CTRL_C = '\u0003';

describe('send', () => {
  let host: TestHost;
  let client: HostClient;
  let session: SessionHandle;
  let terminal: Terminal | undefined;

  beforeEach(async () => {
    host = await startTestHost();
    client = await host.connect();
    session = await client.createSession({ provider: 'mock' });
    await session.ready();
  });
  afterEach(async () => {
    await terminal?.dispose();
    terminal = undefined;
    await host.dispose();
  });

  const env = () => ({ PATH: process.env['PATH'] ?? '', AGENTHOST_HOME: host.stateDir });
  /** Only this test still reads. */
  const leftAlone = () => until(session.confirmed, ({ clients }) => clients?.length === 1, 'nobody else');
  const running = () => until(session.confirmed, ({ activeTurn }) => activeTurn !== undefined, 'a turn');

  function bash(script: string): Promise<{ code: number; stdout: string; stderr: string }> {
    return new Promise((resolve) => {
      const args = ['--norc', '-c', script, process.execPath, CLI, session.uri];
      execFile('bash', args, { env: env(), timeout: 20_000 }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
  }

  it('in a pipe whose reader closes: ends, says that the turn continues, and leaves it running', async () => {
    const { stdout, stderr } = await bash(`"$0" "$1" send "$2" 'stream 100000' | head -1; exit "\${PIPESTATUS[0]}"`);
    expect(stdout).toBe('delta 0000000000000\n');
    expect(stderr).toMatch(/^The output was closed; the turn continues\.\nFollow it with agenthost attach .*\.\n$/);
    await leftAlone();
    await until(session.confirmed, ({ turns }) => turns[0]?.state === 'complete', 'its end', 20_000);
  });

  it('in a script: each command gets its own input', async () => {
    const { stdout, code } = await bash(
      `set -e; "$0" "$1" send "$2" hello | tr a-z A-Z; echo 'from the script' | "$0" "$1" send "$2" - | wc -l | tr -d ' '`,
    );
    expect({ stdout, code }).toEqual({ stdout: 'HELLO, WORLD!\n1\n', code: 0 });
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('killed by %s: says that the turn continues', async (signal, exitCode) => {
    const child = spawn(process.execPath, [CLI, 'send', session.uri, 'slow'], {
      env: env(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (data) => {
      stderr += String(data);
    });
    await Promise.all([running(), once(child.stdout, 'data')]);
    child.kill(signal);
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(exitCode);
    expect(stderr).toMatch(/^The turn continues without this command\.\nFollow it with agenthost attach .*\.\n$/);
    await leftAlone();
    expect(session.confirmed.value.activeTurn).toBeDefined();
  });

  describe('on a terminal', () => {
    const start = (args: readonly string[]) => {
      terminal = Terminal.inShell(['send', session.uri, ...args], { env: { AGENTHOST_HOME: host.stateDir } });
      return terminal;
    };

    it('asks, and takes y, n, and only text typed after the question', async () => {
      const asked = start(['confirm-tool']);
      asked.type('n\r');
      await asked.until('? Run?', 'make', 'y Allow once · n Deny:');
      expect(session.pendingConfirmations.value).toHaveLength(1);
      asked.type('what\r');
      await asked.until(/Deny: .*\n.*y Allow once/s);
      asked.type('y\r');
      await asked.until('✓ Ran it (exit 0)', 'Done.', 'ended with 0');
    });

    it('says when another client has answered', async () => {
      const asked = start(['confirm-tool']);
      await asked.until('n Deny:');
      await session.pendingConfirmations.value[0]?.deny({ reason: 'no' });
      await asked.until('Answered elsewhere.', 'Not run: no.', 'ended with 0');
    });

    it('exits with 13 when it denied something, and accepts text as an answer', async () => {
      const asked = start(['confirm-tool']);
      await asked.until('n Deny:');
      asked.type('n\r');
      await asked.until('Not run.', 'ended with 13');
      await asked.dispose();
      const other = start(['question']);
      await other.until('or your answer:');
      other.type('green\r');
      await other.until('You answered: green', 'ended with 0');
    });

    it('Ctrl+C cancels the turn and restores the terminal', async () => {
      const slow = start(['slow']);
      await slow.until('1 2 3');
      slow.type(CTRL_C);
      await slow.until('Cancelling…', '– Stopped.', 'ended with 11', /(?<!-)icanon/);
      await until(session.confirmed, ({ turns }) => turns[0]?.state === 'cancelled', 'cancelled');
    });

    it('Ctrl+C twice leaves the turn running, and says how to attach', async () => {
      const stopped = await startRestartableHost();
      try {
        const away = await (await stopped.connect()).createSession({ provider: 'mock' });
        await away.ready();
        terminal = Terminal.inShell(['send', away.uri, 'slow', '--url', stopped.url.href, '--token', stopped.token]);
        await terminal.until('1 2 3');
        // One that answers nothing, so that the turn does not end by the first Ctrl+C.
        process.kill(stopped.process.pid, 'SIGSTOP');
        terminal.type(CTRL_C);
        await terminal.until('Cancelling…');
        terminal.type(CTRL_C);
        await terminal.until('The turn continues without this command.', 'agenthost attach', 'ended with 130');
      } finally {
        process.kill(stopped.process.pid, 'SIGCONT');
        await stopped.dispose();
      }
    });

    it('ends with its terminal', async () => {
      terminal = Terminal.run(['send', session.uri, 'slow'], { env: { AGENTHOST_HOME: host.stateDir } });
      await terminal.until('1 2 3');
      terminal.kill('SIGHUP');
      expect(await terminal.exited).toBe(129);
      await leftAlone();
    });

    it('shows a table that fits, with colours unless NO_COLOR is set', async () => {
      await session.rename('A title that is much longer than what fits into forty columns of a terminal');
      const coloured = Terminal.run(['ls'], { env: { AGENTHOST_HOME: host.stateDir }, columns: 40 });
      await coloured.until(/^○ \w{8} mock +\d+s A title.*…$/m);
      expect(coloured.output).toContain('\u001b[2m');
      expect(coloured.text.split('\n')).toHaveLength(1);
      await coloured.dispose();
      const plain = Terminal.run(['ls'], { env: { AGENTHOST_HOME: host.stateDir, NO_COLOR: '1' }, columns: 40 });
      await plain.until(/^○ \w{8} mock +\d+s A title.*…$/m);
      expect(plain.output).not.toContain('\u001b[');
      await plain.dispose();
    });
  });
});
