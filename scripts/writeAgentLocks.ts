// Writes a lock file for each agent of the catalogue to packages/host/agent-locks, so that every installation gets the packages
// that the agent was tested with, and one for each version in test/agents/support/nativeVersions.ts to test/agents/locks. Run it
// (npm run agent-locks) when a version changes; with names, e.g. "-- codex claude-2.1.300", it writes only those.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CATALOGUE } from '../packages/host/dist/agents/acp/catalogue.js';
import { COPILOT_PACKAGE } from '../packages/host/dist/agents/copilot/copilotAgent.js';
import { NATIVE_VERSIONS, nativeName } from '../test/agents/support/nativeVersions.ts';

const FOLDER = join(import.meta.dirname, '../packages/host/agent-locks');
const NATIVE_FOLDER = join(import.meta.dirname, '../test/agents/locks');

const agents = [...CATALOGUE, { provider: 'copilot', npm: COPILOT_PACKAGE }].map(({ provider, npm }) => ({
  name: provider,
  npm,
  into: FOLDER,
}));
const native = NATIVE_VERSIONS.map((one) => ({ name: nativeName(one), npm: one.npm, into: NATIVE_FOLDER }));
const wanted = process.argv.slice(2);
for (const { name, npm, into } of [...agents, ...native]) {
  if (!npm || (wanted.length > 0 && !wanted.includes(name))) continue;
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-lock-'));
  try {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
    const args = ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--save-exact', '--omit=dev'];
    await promisify(execFile)('npm', [...args, `${npm.name}@${npm.version}`], { cwd: folder });
    const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
    lock.name = name;
    for (const one of Object.values<{ resolved?: string }>(lock.packages)) delete one.resolved;
    await writeFile(join(into, `${name}.json`), `${JSON.stringify(lock, undefined, 1)}\n`);
    console.log(`${name}: ${Object.keys(lock.packages).length - 1} packages`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
