import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, startTestHost, type TestHost } from '../../../test/support/testHost.js';

const CLI = join(import.meta.dirname, '../dist/main.js');

describe('completion', () => {
  let host: TestHost;
  let uri: string;
  beforeAll(async () => {
    host = await startTestHost();
    uri = (await (await host.connect()).createSession({ provider: 'mock' })).uri;
  });
  afterAll(() => host.dispose());

  /** What bash would offer for that line, with the script really sourced. */
  function complete(...words: readonly string[]): Promise<string[]> {
    const script = `
      agenthost() { "$NODE" "$CLI" "$@"; }
      source <(agenthost completion bash)
      COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _agenthost
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { PATH: process.env['PATH'] ?? '', NODE: process.execPath, CLI, AGENTHOST_HOME: host.stateDir };
    return new Promise((resolve, reject) => {
      execFile('bash', ['--norc', '-c', script, 'bash', ...words], { env }, (error, stdout, stderr) =>
        error ? reject(new Error(stderr)) : resolve(stdout.trim().split('\n').filter(Boolean)),
      );
    });
  }

  it('offers commands, flags, choices and sessions in bash', async () => {
    expect(await complete('agenthost', 'se')).toEqual(['serve', 'send', 'search', 'service']);
    expect(await complete('agenthost', 'ls', '--st')).toEqual(['--state-dir', '--status']);
    expect(await complete('agenthost', 'ls', '--status', '')).toEqual(['running', 'needs-input', 'failed', 'idle']);
    expect(await complete('agenthost', 'send', '--approve', 'a')).toEqual(['all']);
    expect(await complete('agenthost', 'serve', '--tls')).toEqual(['--tls-cert', '--tls-key']);
    expect(await complete('agenthost', 'token', 'r')).toEqual(['rotate', 'rm']);
    const id = uri.slice('mock:/'.length);
    expect(await complete('agenthost', 'log', id.slice(0, 5))).toEqual([id]);
    expect(await complete('agenthost', 'log', 'la')).toEqual(['last']);
    expect(await complete('agenthost', 'export', '-o', '')).toEqual(expect.arrayContaining(['last']));
    // Each of these starts bash, and some the command: ten processes beside everything else.
  }, 120_000);

  it('has a script for each shell that names every command', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, stdout } = await runCli(['completion', shell]);
      expect(code).toBe(0);
      for (const name of ['serve', 'attach', 'doctor', 'completion']) expect(stdout).toContain(name);
    }
  });
});
