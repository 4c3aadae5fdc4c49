import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { writeAgents } from '../../../test/support/agents/stubAgent.js';
import { runCli, spawnHost, temporaryFolder } from '../../../test/support/testHost.js';

const CATALOGUE = ['claude', 'codex', 'gemini', 'opencode', 'copilot-acp'];
const TINY = { package: 'tiny-acp', version: '1.0.0' };

describe('agenthost agents', () => {
  let stateDir: string;
  let programs: string;

  beforeEach(async () => {
    stateDir = await temporaryFolder();
    programs = join(stateDir, 'programs');
    await mkdir(programs);
    await writeFile(join(programs, 'my-agent'), '#!/bin/sh\n');
    await chmod(join(programs, 'my-agent'), 0o755);
    await writeAgents(stateDir, {
      mine: { name: 'My own', command: 'my-agent' },
      gone: { name: 'Gone', command: 'no-such-program' },
      tiny: { name: 'Tiny', command: 'no-such-tiny', npm: TINY },
    });
  });
  afterEach(() => rm(stateDir, { recursive: true, force: true, maxRetries: 5 }));

  // Nothing else: this machine may have agents of its own.
  const env = () => ({ PATH: programs });
  const list = (...flags: string[]) => runCli(['agents', '--state-dir', stateDir, ...flags], env());

  async function objects(...flags: string[]) {
    const { stdout, ...rest } = await list('--json', ...flags);
    expect(rest).toEqual({ code: 0, stderr: '' });
    const reports = stdout.trimEnd().split('\n');
    return reports.map((line) => JSON.parse(line) as { provider: string; availability: object });
  }

  it('shows where each agent was found, or why it can not be used and what to do, and changes nothing', async () => {
    const before = await readdir(stateDir, { recursive: true });
    const { code, stdout, stderr } = await list();
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('shell        Shell          available');
    expect(lines.slice(3, 5)).toEqual([
      'claude       Claude Code    not available: It is not installed, and claude-agent-acp is not on PATH.',
      expect.stringMatching(/^ {28}Run `agenthost agents add claude`\. \(about \d+ MB\)$/),
    ]);
    expect(lines.slice(lines.findIndex((line) => line.startsWith('mine ')))).toEqual([
      `mine         My own         available, on PATH: ${join(programs, 'my-agent')}`,
      'gone         Gone           not available: The program no-such-program was not found.',
      expect.stringMatching(/^ {28}\S/),
      'tiny         Tiny           not available: It is not installed, and no-such-tiny is not on PATH.',
      `${' '.repeat(28)}Run \`agenthost agents add tiny\`.`,
      '',
    ]);
    expect(await readdir(stateDir, { recursive: true })).toEqual(before);
  });

  it('prints the same with --json, one object per line', async () => {
    const reports = await objects();
    expect(reports.map(({ provider }) => provider)).toEqual(['shell', 'copilot', ...CATALOGUE, 'mine', 'gone', 'tiny']);
    expect(reports.slice(-3)).toEqual([
      {
        provider: 'mine',
        displayName: 'My own',
        availability: { state: 'available' },
        path: join(programs, 'my-agent'),
        from: 'path',
        login: { state: 'unknown' },
      },
      {
        provider: 'gone',
        displayName: 'Gone',
        availability: {
          state: 'unavailable',
          reason: 'The program no-such-program was not found.',
          howToFix: expect.any(String),
        },
      },
      {
        provider: 'tiny',
        displayName: 'Tiny',
        availability: expect.objectContaining({ state: 'unavailable', installable: {} }),
        npm: { name: TINY.package, version: TINY.version },
      },
    ]);
  });

  it('uses the agents of a running host', async () => {
    const host = await spawnHost(stateDir, ['--state-dir', stateDir], env());
    onTestFinished(async () => void (await host.kill('SIGKILL')));
    const reports = await objects();
    expect(reports.map(({ provider }) => provider)).toContain('mock');
    expect(reports.find(({ provider }) => provider === 'mine')).toMatchObject({
      availability: { state: 'available' },
      path: join(programs, 'my-agent'),
      from: 'path',
    });
  });

  it('creates no state folder', async () => {
    const nowhere = join(stateDir, 'nowhere');
    const { code, stdout } = await runCli(['agents', '--state-dir', nowhere], env());
    expect([code, stdout.split('\n').filter((line) => /^\S/.test(line)).length]).toEqual([0, 2 + CATALOGUE.length]);
    expect(existsSync(nowhere)).toBe(false);
  });

  it.each([
    [
      ['fly'],
      'There is no "fly" for agents.\nGive add, rm, update, login or logout and a name, or nothing to list them.\n',
    ],
    [['list', 'mine'], 'The list takes no names.\nLeave them out.\n'],
    [['--fast'], expect.stringMatching(/^Unknown option '--fast'\.\nSee agenthost agents --help/)],
  ])('refuses %j', async (args, stderr) => {
    expect(await list(...args)).toEqual({ code: 2, stdout: '', stderr });
  });
});
