import { execFile } from 'node:child_process';
import { mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchOnce } from '../support/fetchOnce.js';
import { CLI, startTestHost, type TestHost, temporaryFolder } from '../support/testHost.js';
import { installNative } from './support/installAgents.js';
import { NATIVE_VERSIONS } from './support/nativeVersions.js';

const INSPECTOR = '2.12.0';
const CACHE = join(import.meta.dirname, '../../.cache/mcp-inspector');

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let host: TestHost;
let home: string;
let env: Record<string, string>;
beforeAll(async () => {
  host = await startTestHost();
  home = await temporaryFolder();
  const bin = join(home, 'bin');
  await mkdir(bin);
  await symlink(process.execPath, join(bin, 'node'));
  const script = `#!/bin/sh\nexec ${process.execPath} ${CLI} "$@"\n`;
  await writeFile(join(bin, 'agenthost'), script, { mode: 0o755 });
  const path = [bin, '/usr/bin', '/bin'].join(delimiter);
  env = { PATH: path, HOME: home, AGENTHOST_HOME: host.stateDir, HOST: host.url.origin, TOKEN: host.token };
});
afterAll(async () => {
  await host.dispose();
  await rm(home, { recursive: true, force: true });
});

async function run(program: string, args: readonly string[]): Promise<Ran> {
  try {
    return { code: 0, ...(await promisify(execFile)(program, args, { env, cwd: home, timeout: 60_000 })) };
  } catch (error) {
    return error as Ran;
  }
}

describe('the inspector', () => {
  let inspector: string;
  beforeAll(async () => {
    const packages = [`@modelcontextprotocol/inspector@${INSPECTOR}`];
    const folder = await fetchOnce({ folder: CACHE, packages, flags: ['--ignore-scripts'] });
    inspector = await realpath(join(folder, 'node_modules/.bin/mcp-inspector'));
  });

  // It passes on few variables, as many clients do.
  const overStdio = () => ['agenthost', 'mcp', '--no-start', '--state-dir', host.stateDir];
  const overHttp = () => [
    `${host.url.origin}/mcp`,
    '--transport',
    'http',
    '--header',
    `Authorization: Bearer ${host.token}`,
  ];

  it.each([
    ['stdio', overStdio],
    ['streamable HTTP', overHttp],
  ])('lists the tools without an objection, and calls them, over %s', async (_, target) => {
    const inspect = (...args: string[]) => run(process.execPath, [inspector, '--cli', ...target(), ...args]);
    const listed = await inspect('--method', 'tools/list', '--strict');
    expect([listed.code, listed.stderr]).toEqual([0, '']);
    expect(JSON.parse(listed.stdout).tools).toHaveLength(10);
    const call = async (name: string, ...args: string[]) => {
      const { stdout } = await inspect('--method', 'tools/call', '--tool-name', name, '--tool-arg', ...args);
      return JSON.parse(JSON.parse(stdout).content[0].text);
    };
    const { session, turnId } = await call('create_session', 'agent=mock', 'message=hello');
    const waited = await call('wait_for_turn', `session=${session}`, `turnId=${turnId}`);
    expect(waited).toMatchObject({ status: 'ended', turn: { state: 'complete' } });
    const wrong = await inspect('--method', 'tools/call', '--tool-name', 'read_session', '--tool-arg', 'session=none');
    expect(wrong.stdout).toContain('list_sessions');
  });
});

describe('the lines of docs/mcp.md', () => {
  const newest = (provider: string) => {
    const version = NATIVE_VERSIONS.filter((one) => one.provider === provider).at(-1);
    if (!version) throw new Error(`there is no version of ${provider}`);
    return version;
  };
  /** As a shell reads the line. */
  const type = (line: string) => run('/bin/sh', ['-c', line]);
  async function put(provider: string): Promise<void> {
    const folder = await installNative(newest(provider));
    const program = await realpath(join(folder, 'node_modules/.bin', provider));
    const isScript = /\.[cm]?js$/.test(program);
    const script = `#!/bin/sh\nexec ${isScript ? `${process.execPath} ` : ''}${program} "$@"\n`;
    await writeFile(join(home, 'bin', provider), script, { mode: 0o755 });
  }

  it('add it to Claude Code, which then connects over stdio and HTTP', async () => {
    await put('claude');
    expect(await type('claude mcp add --scope user agenthost -- agenthost mcp')).toMatchObject({ code: 0 });
    const header = '--header "Authorization: Bearer $TOKEN"';
    const remote = `claude mcp add --scope user --transport http remote "$HOST/mcp" ${header}`;
    expect(await type(remote)).toMatchObject({ code: 0 });
    const { stdout } = await type('claude mcp list');
    expect(stdout).toMatch(/agenthost: .*Connected/);
    expect(stdout).toMatch(/remote: .*Connected/);
  });

  it('add it to Codex', async () => {
    await put('codex');
    expect(await type('codex mcp add agenthost -- agenthost mcp')).toMatchObject({ code: 0 });
    const remote = 'codex mcp add remote --url "$HOST/mcp" --bearer-token-env-var AGENTHOST_TOKEN';
    expect(await type(remote)).toMatchObject({ code: 0 });
    const { stdout } = await type('codex mcp list');
    expect(stdout).toMatch(/agenthost +agenthost +mcp/);
    expect(stdout).toContain(`${host.url.origin}/mcp`);
  });
});
