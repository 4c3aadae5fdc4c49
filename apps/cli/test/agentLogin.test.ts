import { existsSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { loginEntry, loginFile } from '../../../test/support/agents/loginAgent.js';
import { writeAgents } from '../../../test/support/agents/stubAgent.js';
import { Terminal } from '../../../test/support/terminal.js';
import { runCli, spawnHost, temporaryFolder } from '../../../test/support/testHost.js';
import { withoutStrings } from '../src/login/withoutStrings.js';

const KEY = 'secret-cli-key-0123456789';

describe('agenthost agents login', () => {
  let stateDir: string;
  beforeEach(async () => {
    stateDir = await temporaryFolder();
    await writeAgents(stateDir, { stub: loginEntry(stateDir) });
  });
  afterEach(() => rm(stateDir, { recursive: true, force: true, maxRetries: 5 }));

  const env = () => ({ HOME: stateDir });
  const run = (args: readonly string[], input?: string) =>
    runCli(['agents', ...args, '--state-dir', stateDir], env(), input);
  const keyFile = () => join(stateDir, 'agents/stub.key');

  function terminal(...args: string[]): Terminal {
    const opened = Terminal.run(['agents', 'login', 'stub', ...args], { env: env() });
    onTestFinished(() => opened.dispose());
    return opened;
  }

  it("runs the agent's own program in this terminal, with and without a host", async () => {
    for (const way of ['without a host', 'with one']) {
      const host = way === 'with one' ? await spawnHost(stateDir, ['--state-dir', stateDir], env()) : undefined;
      const shown = terminal('--state-dir', stateDir);
      await shown.until('9B2C-41F7', 'Answer:');
      shown.type('open sesame\r');
      await shown.until('Stub is logged in.');
      expect({ way, code: await shown.exited }).toEqual({ way, code: 0 });
      expect((await run(['logout', 'stub'])).stdout).toBe('Logged out of stub.\n');
      expect(existsSync(loginFile(stateDir))).toBe(false);
      await host?.kill('SIGTERM');
    }
  });

  it('says how the program failed', async () => {
    await writeAgents(stateDir, { stub: loginEntry(stateDir, 'fail') });
    const { code, stderr } = await run(['login', 'stub']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('ended with exit code 3.') });
  });

  it('runs it on a host elsewhere, in this terminal, and Ctrl+] ends it', async () => {
    const host = await spawnHost(stateDir, ['--state-dir', stateDir], env());
    onTestFinished(async () => void (await host.kill('SIGTERM')));
    const remote = ['--url', host.url.href, '--token', host.token];
    const shown = terminal(...remote);
    await shown.until('9B2C-41F7', 'Answer:');
    shown.type('\u001d');
    await shown.until('The log-in was ended. It was cancelled.');
    expect(await shown.exited).toBe(1);
    const again = terminal(...remote);
    await again.until('Answer:');
    again.type('open sesame\r');
    await again.until('Stub is logged in.');
    expect(await again.exited).toBe(0);
  });

  it('reads a key from standard input or without an echo, and never from the command line', async () => {
    expect(await run(['login', 'stub', '--key'], `${KEY}\n`)).toEqual({
      code: 0,
      stdout: 'The key is saved. It was not checked: the first turn shows whether it works.\n',
      stderr: '',
    });
    expect((await readFile(keyFile(), 'utf8')).trim()).toBe(KEY);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
    expect((await run(['logout', 'stub'])).code).toBe(0);
    expect(existsSync(keyFile())).toBe(false);
    const shown = terminal('--key', '--state-dir', stateDir);
    await shown.until('Key for stub (it is not shown):');
    shown.type(`${KEY}\r`);
    await shown.until('The key is saved.');
    expect(shown.output).not.toContain(KEY);
    expect((await run(['login', 'stub', `--key=${KEY}`])).code).toBe(2);
    expect((await run(['login', 'stub', '--key'], 'two words')).code).toBe(1);
  });

  it('says in the list who has to log in', async () => {
    const host = await spawnHost(stateDir, ['--state-dir', stateDir], env());
    onTestFinished(async () => void (await host.kill('SIGTERM')));
    expect((await run([])).stdout).toContain('Its log-in was not tried yet.');
    expect((await run(['login', 'stub', '--key'], KEY)).code).toBe(0);
    expect((await run([])).stdout).toContain('Key kept by the host');
    const wrong = await run(['login', 'shell']);
    expect({ code: wrong.code, stderr: wrong.stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('that people log in to'),
    });
    expect((await run(['rm', 'stub', '--key'])).code).toBe(2);
    expect((await run(['login', 'stub', 'other'])).code).toBe(2);
  });
});

describe('what a program of another machine prints', () => {
  it('keeps its colours and cursor, and loses what reaches beyond its screen, in any pieces', () => {
    const text =
      '\u001b[1mbold\u001b[0m \u001b]52;c;ZXZpbA==\u0007a\u001b]0;title\u001b\\b\u001bP$q\u001b\\c\u009d8;;x\u009cd\u001b[2J';
    const plain = '\u001b[1mbold\u001b[0m abcd\u001b[2J';
    for (const size of [1, 2, 3, 7, text.length]) {
      const safe = withoutStrings();
      let out = '';
      for (let at = 0; at < text.length; at += size) out += safe(text.slice(at, at + size));
      expect({ size, out }).toEqual({ size, out: plain });
    }
    const safe = withoutStrings();
    expect(safe(`\u001b]0;${'x'.repeat(100_000)}`)).toBe('');
    expect(safe('y\u0007after')).toBe('after');
  });
});
