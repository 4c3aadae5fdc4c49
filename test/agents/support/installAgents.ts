import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentInstaller } from '@agenthost/host/internal';
import { CATALOGUE } from '../../../packages/host/src/agents/acp/catalogue.js';
import { COPILOT_PACKAGE } from '../../../packages/host/src/agents/copilot/copilotAgent.js';
import { resolveAgentInstall } from '../../../packages/host/src/agents/install/agentInstall.js';

const CACHE = join(import.meta.dirname, '../../../.cache');
/** Laid out as a state root's `agents` folder: a folder for each agent, with its `node_modules`. */
export const AGENTS_FOLDER = join(CACHE, 'agents');

const installing = new Map<string, Promise<string>>();

/** Adds an agent to the tree's cache as `agenthost agents add` does, once for each version; returns its folder. */
export function installAgent(provider: string): Promise<string> {
  const folder = installing.get(provider) ?? install(provider);
  installing.set(provider, folder);
  return folder;
}

async function install(provider: string): Promise<string> {
  const npm = provider === 'copilot' ? COPILOT_PACKAGE : CATALOGUE.find((one) => one.provider === provider)?.npm;
  if (!npm) throw new Error(`${provider} comes in no package`);
  while ((await resolveAgentInstall(AGENTS_FOLDER, provider, npm.name))?.version !== npm.version) {
    console.info(`fetching ${npm.name}@${npm.version}`);
    try {
      await new AgentInstaller({ stateDir: CACHE, env: process.env }).install(provider, npm);
    } catch (error) {
      // Another test file is installing it.
      if (!existsSync(join(AGENTS_FOLDER, `.${provider}.lock`))) throw error;
      await delay(1_000);
    }
  }
  return join(AGENTS_FOLDER, provider);
}
