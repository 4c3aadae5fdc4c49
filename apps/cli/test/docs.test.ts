import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../../test/architecture/workspace.js';
import { runCli, temporaryFolder } from '../../../test/support/testHost.js';
import { EXIT } from '../src/commandError.js';
import { COMMANDS } from '../src/commandTable.js';

const CLI = join(ROOT, 'apps/cli/dist/main.js');

describe('docs/cli.md', () => {
  const text = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8');

  it.each(Object.keys(COMMANDS))('shows the current help of %s; npm run docs writes it', async (name) => {
    const { code, stdout } = await runCli([name, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Usage:\s+agenthost/);
    expect(stdout).toContain('Examples:');
    expect(text).toContain(`### ${name}\n\n\`\`\`\n${stdout}\`\`\`\n`);
    expect(await runCli(['help', name])).toMatchObject({ code: 0, stdout });
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(150);
  });

  it('has a row for every exit code, and no other', () => {
    const rows = [...text.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(rows).toEqual(Object.values(EXIT));
  });

  it('names every command in the main help, and no other', async () => {
    const { stdout } = await runCli(['--help']);
    const named = [...stdout.matchAll(/^ {2}(\w+) {2}/gm)].map(([, name]) => name);
    expect(named).toEqual(Object.keys(COMMANDS));
    expect([...text.matchAll(/^### (\w+)$/gm)].map(([, name]) => name)).toEqual(named);
  });
});

describe('agenthost', () => {
  it('starts a host without a command, and says where it runs the next time', async () => {
    const stateDir = await temporaryFolder();
    const env = { PATH: process.env['PATH'], HOME: stateDir, AGENTHOST_HOME: stateDir };
    // With a flag of serve, because the usual port may be taken on this machine.
    const host = spawn(process.execPath, [CLI, '--port', '0'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    for await (const chunk of host.stdout) {
      said += String(chunk);
      if (said.includes('Ctrl+C stops it.')) break;
    }
    const [link = ''] = /http:\S+/.exec(said) ?? [];
    const second = await runCli([], { AGENTHOST_HOME: stateDir });
    expect(second).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`A host runs at ${new URL(link).origin}.`),
    });
    const killed = once(host, 'exit');
    host.kill('SIGKILL');
    await killed;
    // Only the address is left of it now: another one is started, unless the usual port is taken.
    const third = spawn(process.execPath, [CLI], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(third, 'exit');
    const answered = once(third.stdout, 'data').then(([text]) => String(text));
    const answer = await Promise.race([answered, ended.then(([code]) => `exit ${code}`)]);
    expect(answer).toMatch(/^(agenthost is running\.|exit 3$)/);
    third.kill('SIGTERM');
    await ended;
    await rm(stateDir, { recursive: true, force: true });
  });

  it('says in its help what it does without a command', async () => {
    expect((await runCli(['--help'])).stdout).toContain('Without a command it starts a host and prints its link');
  });

  it('prints its version', async () => {
    expect(await runCli(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });
});
