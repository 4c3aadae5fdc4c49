import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../src/agents/acp/catalogue.js';
import { COPILOT_PACKAGE } from '../../../src/agents/copilot/copilotAgent.js';
import { AGENT_LOCKS_FOLDER, readAgentLock } from '../../../src/agents/install/agentInstaller.js';

const agents = [...CATALOGUE, { provider: 'copilot', npm: COPILOT_PACKAGE }].flatMap(({ provider, npm }) =>
  npm ? [{ provider, npm }] : [],
);

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: true;
}

/** Each with an install script that agents do without: they were tried so. */
const NOT_RUN = ['@github/keytar', 'node-pty', 'koffi'];

describe('the lock files of the catalogue', () => {
  it.each(agents)('exist for $provider at its version: run npm run agent-locks', async ({ provider, npm }) => {
    const text = await readAgentLock(AGENT_LOCKS_FOLDER, provider, npm);
    const { packages } = JSON.parse(text ?? '{}') as { packages: Record<string, LockedPackage> };
    const installed = Object.entries(packages).filter(([path]) => path !== '');
    expect(installed.length).toBeGreaterThan(0);
    for (const [path, { integrity, resolved }] of installed) {
      expect(integrity, path).toMatch(/^sha512-/);
      expect(resolved, path).toBeUndefined();
    }
    const scripted = installed.flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript ? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length) : [],
    );
    expect(scripted.filter((name) => !NOT_RUN.includes(name))).toEqual(npm.scripts ?? []);
  });

  it('include no others', async () => {
    const names = agents.map(({ provider }) => `${provider}.json`);
    expect((await readdir(AGENT_LOCKS_FOLDER)).sort()).toEqual(names.sort());
  });
});
