import { join } from 'node:path';
import { fetchOnce } from '../../support/fetchOnce.js';

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

/** Fetches an agent into the tree's cache, once for each version; returns its folder. */
export function installAgent(name: keyof typeof AGENT_PACKAGES): Promise<string> {
  return fetchOnce({ folder: join(AGENTS_FOLDER, name), packages: AGENT_PACKAGES[name] });
}
