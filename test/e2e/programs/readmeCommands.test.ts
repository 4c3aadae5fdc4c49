import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CopilotAgent } from '@agenthost/host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../architecture/workspace.js';
import { blocks, pages } from '../../docs/pages.js';
import { NpmRegistry } from '../../support/agents/npmRegistry.js';
import { copyRepository } from '../../support/repositoryCopy.js';
import { Terminal } from '../../support/terminal.js';

const LONG = 120_000;
const run = promisify(execFile);

const page = pages().find(({ path }) => path === 'README.md');
if (!page) throw new Error('there is no README.md');
const lines = blocks(page, 'sh').flatMap((block) => block.trim().split('\n'));
const spans = [...page.prose.matchAll(/`((?:npm|npx) [^`]+)`/g)].map(([, code = '']) => code);
/** All that it tells people to type. */
const commands = [...new Set([...lines, ...spans])];

let folder: string;
let registry: NpmRegistry;
let host: ChildProcess;
const env = () => ({
  PATH: process.env['PATH'] ?? '',
  HOME: join(folder, 'home'),
  LANG: 'C.UTF-8',
  npm_config_registry: registry.url,
  npm_config_update_notifier: 'false',
});
const shell = (command: string) => run('sh', ['-c', command], { cwd: folder, env: env() });

beforeAll(async () => {
  folder = await copyRepository();
  await mkdir(join(folder, 'home'));
  const { name, version } = new CopilotAgent({ agentsFolder: folder }).npmPackage;
  // In place of what has hundreds of megabytes.
  const files = { 'index.js': 'export {};\n' };
  registry = await NpmRegistry.start({ name, version, files });
}, LONG);
afterAll(async () => {
  if (host?.exitCode === null) {
    const ended = once(host, 'exit');
    process.kill(-(host.pid ?? 0), 'SIGTERM');
    await ended;
  }
  await registry?.dispose();
  // npm may end before the host that it started has closed its files.
  await rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
}, LONG);

/** What the program has said when that came. */
function until(child: ChildProcess, text: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (chunk: unknown) => {
      said += String(chunk);
      if (text.test(said)) resolve(said);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.on('close', () => reject(new Error(`it ended: ${said}`)));
  });
}

/** In the order in which people do it. */
const steps: Readonly<Record<string, (command: string) => Promise<void>>> = {
  'npx agenthost': async (command) => {
    const first = spawn('sh', ['-c', `exec ${command} --port 0`], { cwd: folder, env: env(), detached: true });
    const ended = once(first, 'exit');
    await until(first, /http:\/\/127\.0\.0\.1:\d+\/#token=\S+/);
    process.kill(-(first.pid ?? 0), 'SIGTERM');
    await ended;
  },
  'npx agenthost serve --lan': async (command) => {
    // Where this machine has no such network it says so; test/e2e/programs/serveLan.test.ts makes one.
    const lan = spawn('sh', ['-c', `exec ${command} --port 0`], { cwd: folder, env: env(), detached: true });
    const ended = once(lan, 'exit');
    await until(lan, /has no address on a local network|https:\/\/\S+#token=\S+/);
    if (lan.exitCode === null) process.kill(-(lan.pid ?? 0), 'SIGTERM');
    await ended;
  },
  'git clone <this repository> agenthost && cd agenthost': async () => {
    // Where the sources came without their history there is nothing to clone.
    if (!existsSync(join(ROOT, '.git'))) return;
    const clone = join(folder, 'clone');
    await writeFile(join(folder, 'home/.gitconfig'), '[safe]\n\tdirectory = *\n');
    await run('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, clone], { env: env() });
    expect(existsSync(join(clone, 'scripts/run.mjs'))).toBe(true);
  },
  'npm start': async (command) => {
    // On any port: the usual one may be taken on this machine.
    host = spawn('sh', ['-c', `exec ${command} -- --port 0`], { cwd: folder, env: env(), detached: true });
    expect(await until(host, /http:\/\/127\.0\.0\.1:\d+\/#token=\S+/)).not.toContain('Installing');
  },
  'npx agenthost agents add copilot': async (command) => {
    // The registry here lacks what the lock file of Copilot names. The real one is installed by test/agents.
    const { stderr } = await shell(command).catch((error: { stderr: string }) => error);
    expect(stderr).toContain('Fetching @github/copilot-sdk');
    expect(stderr).toContain('npm could not install it: ');
    expect(existsSync(join(folder, 'home/.agenthost/agents/copilot'))).toBe(false);
  },
  'npx agenthost attach': async () => {
    const terminal = Terminal.program('sh', ['-c', 'exec npx agenthost attach'], {
      cwd: folder,
      env: env(),
      timeoutMs: LONG,
    });
    await terminal.until('No session is open');
    terminal.type('\u0003\u0003');
    await terminal.exited;
  },
  'npx agenthost send --new --agent shell --approve all "echo hello"': async (command) => {
    expect((await shell(command)).stdout).toContain('hello');
  },
  'npx agenthost token add --role approver --name "my phone"': async (command) => {
    expect((await shell(command)).stdout).toMatch(/#token=\S+/);
  },
  'npx agenthost doctor': async (command) => {
    const { stdout } = await shell(command).catch((error: { stdout: string }) => error);
    expect(stdout).toContain('state folder');
  },
  // This is it.
  'npm test': async () => {},
};

describe("the README's commands", () => {
  it('are all run here', () => {
    expect(commands.toSorted()).toEqual(Object.keys(steps).toSorted());
  });

  it.each(Object.entries(steps))('%s', { timeout: LONG }, async (command, step) => {
    await step(command);
  });
});
