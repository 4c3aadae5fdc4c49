import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { SessionHandle } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { say } from '../../../test/support/say.js';
import { Terminal } from '../../../test/support/terminal.js';
import { startTestHost, type TestHost } from '../../../test/support/testHost.js';

const CLI = join(import.meta.dirname, '../dist/main.js');
const CTRL_P = '\u0010';
const CTRL_O = '\u000f';

describe('the settings of an agent in the terminal', () => {
  let host: TestHost;
  let session: SessionHandle;
  let terminal: Terminal | undefined;

  beforeEach(async () => {
    host = await startTestHost();
    const client = await host.connect();
    session = await client.createSession({ provider: 'mock' });
    await session.ready();
    await say(session, 'settings');
  });
  afterEach(async () => {
    await terminal?.dispose();
    terminal = undefined;
    await host.dispose();
  });

  function send(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = { PATH: process.env['PATH'] ?? '', AGENTHOST_HOME: host.stateDir };
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [CLI, 'send', session.uri, ...args],
        { env, timeout: 20_000 },
        (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
  }

  it('are changed by send before the message reaches the agent', async () => {
    expect(await send('--mode', 'plan', '--set', 'effort=High', 'settings?')).toMatchObject({
      code: 0,
      stdout: 'mode=plan effort=high\n',
    });
    expect(session.confirmed.value.summary.mode).toEqual({ id: 'plan', name: 'Plan' });
  });

  it('that send can not set send nothing', async () => {
    const before = session.confirmed.value.turns.length;
    expect((await send('--mode', 'wild', 'hello')).stderr).toContain('There are: plan, ask, edit.');
    expect((await send('--set', 'speed=1', 'hello')).stderr).toContain('There are: mode, effort.');
    expect((await send('--set', 'speed', 'hello')).stderr).toContain('SETTING=VALUE');
    const refused = await send('--set', 'effort=max', 'hello');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('told to refuse this') });
    expect(session.confirmed.value.turns.length).toBe(before);
  });

  it('are shown by attach, and changed with a key', async () => {
    const env = { AGENTHOST_HOME: host.stateDir };
    terminal = Terminal.inShell(['attach', 'last'], { env, cwd: host.stateDir, columns: 140, rows: 30 });
    await terminal.until('Ask · Effort: Medium');
    terminal.type(CTRL_P);
    await terminal.until('Edit · Effort: Medium');
    terminal.type(CTRL_O);
    await terminal.until('Edit · Effort: High');
    terminal.type(CTRL_O);
    await terminal.until('Effort was not changed: The mock agent was told to refuse this.');
    expect(session.confirmed.value.summary.mode?.id).toBe('edit');
  });
});
