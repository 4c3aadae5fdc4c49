import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the suite fetches for each agent: exact versions, so that a run can be repeated. */
const AGENT_PACKAGES = {
  copilot: ['@github/copilot-sdk@1.0.14'],
  claude: ['@agentclientprotocol/claude-agent-acp@0.99.1'],
  codex: ['@agentclientprotocol/codex-acp@2.6.0'],
  gemini: ['@google/gemini-cli@0.61.0'],
  opencode: ['opencode-ai@1.18.33'],
  'copilot-acp': ['@github/copilot@1.0.102'],
} as const satisfies Record<string, readonly string[]>;

/** Laid out as a state root's `agents` folder: a folder for each agent, with its `node_modules`. */
export const AGENTS_FOLDER = join(import.meta.dirname, '../../../.cache/agents');

/**
 * Fetches an agent into the tree's cache, once for each version; returns its folder. For a `beforeAll` of its test file:
 * files run one after the other, so that no two install at once.
 */
export async function installAgent(name: keyof typeof AGENT_PACKAGES): Promise<string> {
  const packages = AGENT_PACKAGES[name];
  const folder = join(AGENTS_FOLDER, name);
  const stamp = join(folder, 'installed');
  const wanted = packages.join('\n');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return folder;
  const started = Date.now();
  process.stderr.write(`Fetching ${packages.join(', ')}; this happens once for each version.\n`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await npm(['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], folder);
  await writeFile(stamp, wanted);
  process.stderr.write(`Fetched ${name} in ${Math.round((Date.now() - started) / 1_000)} s.\n`);
  return folder;
}

async function npm(args: readonly string[], cwd: string): Promise<void> {
  const script = process.env['npm_execpath'];
  const [command, all] = script ? [process.execPath, [script, ...args]] : ['npm', args];
  const child = spawn(command, all, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed in ${cwd}; check the network or the registry.`);
}
