import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../../test/architecture/workspace.js';
import { runCli, temporaryFolder } from '../../../test/support/testHost.js';
import { EXIT } from '../src/commandError.js';
import { COMMANDS } from '../src/commandTable.js';

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
  it('says what to do next without arguments', async () => {
    const empty = await temporaryFolder();
    const { code, stdout } = await runCli([], { AGENTHOST_HOME: empty });
    expect(code).toBe(0);
    expect(stdout).toContain('agenthost serve');
    expect(stdout).toContain('agenthost doctor');
  });

  it('prints its version', async () => {
    expect(await runCli(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });
});
