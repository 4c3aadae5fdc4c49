import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentInstaller } from '@agenthost/host/internal';
import { CATALOGUE } from '../../../packages/host/src/agents/acp/catalogue.js';
import { COPILOT_PACKAGE } from '../../../packages/host/src/agents/copilot/copilotAgent.js';
import { resolveAgentInstall } from '../../../packages/host/src/agents/install/agentInstall.js';
import type { AgentPackage } from '../../../packages/host/src/agents/install/agentPackage.js';
import { type NativeVersion, nativeName } from './nativeVersions.js';

const CACHE = join(import.meta.dirname, '../../../.cache');
/** Laid out as a state root's `agents` folder: a folder for each agent, with its `node_modules`. */
export const AGENTS_FOLDER = join(CACHE, 'agents');

/** The same for the versions of `nativeVersions.ts`, each with its own name. */
const NATIVE_CACHE = join(CACHE, 'native');
const NATIVE_LOCKS = join(import.meta.dirname, '../locks');

const installing = new Map<string, Promise<string>>();

/** Adds an agent to the tree's cache as `agenthost agents add` does, once for each version; returns its folder. */
export function installAgent(provider: string): Promise<string> {
  const folder = installing.get(provider) ?? install(provider);
  installing.set(provider, folder);
  return folder;
}

function install(provider: string): Promise<string> {
  const npm = provider === 'copilot' ? COPILOT_PACKAGE : CATALOGUE.find((one) => one.provider === provider)?.npm;
  if (!npm) throw new Error(`${provider} comes in no package`);
  return fetchOnce(CACHE, provider, npm);
}

/** Adds the command of a version beside the catalogue's; returns its folder. */
export function installNative(version: NativeVersion): Promise<string> {
  return fetchOnce(NATIVE_CACHE, nativeName(version), version.npm, NATIVE_LOCKS);
}

async function fetchOnce(stateDir: string, name: string, npm: AgentPackage, locksFolder?: string): Promise<string> {
  const agents = join(stateDir, 'agents');
  while ((await resolveAgentInstall(agents, name, npm.name))?.version !== npm.version) {
    console.info(`fetching ${npm.name}@${npm.version}`);
    try {
      await new AgentInstaller({ stateDir, env: process.env, ...(locksFolder && { locksFolder }) }).install(name, npm);
    } catch (error) {
      // Another test file is installing it.
      if (!existsSync(join(agents, `.${name}.lock`))) throw error;
      await delay(1_000);
    }
  }
  return join(agents, name);
}
