import type { AgentPackage } from '../../../packages/host/src/agents/install/agentPackage.js';
import type { AcpCase } from './acpCases.js';

/** The commands that people use in a terminal, in versions beside the one that the catalogue installs. */
export interface NativeVersion {
  readonly provider: AcpCase['provider'];
  readonly npm: AgentPackage;
}

/** An earlier and the newest or last but one version of each; `npm run agent-locks` writes their lock files to `test/agents/locks`. */
export const NATIVE_VERSIONS: readonly NativeVersion[] = [
  { provider: 'claude', npm: claudeCode('2.1.300') },
  { provider: 'claude', npm: claudeCode('2.1.327') },
  { provider: 'codex', npm: { name: '@openai/codex', version: '0.161.0' } },
  { provider: 'codex', npm: { name: '@openai/codex', version: '0.169.0' } },
  { provider: 'gemini', npm: { name: '@google/gemini-cli', version: '0.55.1' } },
  { provider: 'gemini', npm: { name: '@google/gemini-cli', version: '0.60.0' } },
  { provider: 'opencode', npm: opencode('1.18.22') },
  { provider: 'opencode', npm: opencode('1.18.32') },
  { provider: 'copilot-acp', npm: { name: '@github/copilot', version: '1.0.80' } },
  { provider: 'copilot-acp', npm: { name: '@github/copilot', version: '1.0.92' } },
];

/** The name of its folder in the cache and of its lock file. */
export function nativeName({ provider, npm }: NativeVersion): string {
  return `${provider}-${npm.version}`;
}

function claudeCode(version: string): AgentPackage {
  return { name: '@anthropic-ai/claude-code', version, scripts: ['@anthropic-ai/claude-code'] };
}

function opencode(version: string): AgentPackage {
  return { name: 'opencode-ai', version, scripts: ['opencode-ai'] };
}
