// Writes a lock file for each agent of the catalogue to packages/host/agent-locks, so that every installation gets the packages
// that the agent was tested with. Run it (npm run agent-locks) when a version in the catalogue changes.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CATALOGUE } from '../packages/host/dist/agents/acp/catalogue.js';
import { COPILOT_PACKAGE } from '../packages/host/dist/agents/copilot/copilotAgent.js';

const FOLDER = join(import.meta.dirname, '../packages/host/agent-locks');

const agents = [...CATALOGUE, { provider: 'copilot', npm: COPILOT_PACKAGE }];
for (const { provider, npm } of agents) {
  if (!npm) continue;
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-lock-'));
  try {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
    const args = ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--save-exact', '--omit=dev'];
    await promisify(execFile)('npm', [...args, `${npm.name}@${npm.version}`], { cwd: folder });
    const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
    lock.name = provider;
    for (const one of Object.values<{ resolved?: string }>(lock.packages)) delete one.resolved;
    await writeFile(join(FOLDER, `${provider}.json`), `${JSON.stringify(lock, undefined, 1)}\n`);
    console.log(`${provider}: ${Object.keys(lock.packages).length - 1} packages`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
