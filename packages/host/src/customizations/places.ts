import type { CustomizationKind } from '../agents/agentCustomization.js';

/** Where to look, relative to a folder. A path alone is a file; with `suffix`, files in that folder; with `inside`, one in each subfolder. */
export interface Place {
  readonly kind: CustomizationKind;
  readonly path: string;
  readonly suffix?: string;
  readonly inside?: string;
}

const instructions = (...paths: string[]): Place[] => paths.map((path) => ({ kind: 'instructions', path }));
const skills = (...paths: string[]): Place[] => paths.map((path) => ({ kind: 'skill', path, inside: 'SKILL.md' }));
const mcpServers = (...paths: string[]): Place[] => paths.map((path) => ({ kind: 'mcpServer', path }));

export const WORKSPACE_PLACES: readonly Place[] = [
  ...instructions('AGENTS.md', 'CLAUDE.md', 'GEMINI.md', '.github/copilot-instructions.md'),
  { kind: 'instructions', path: '.github/instructions', suffix: '.instructions.md' },
  ...skills('.agents/skills', '.claude/skills', '.github/skills'),
  { kind: 'agent', path: '.claude/agents', suffix: '.md' },
  { kind: 'agent', path: '.github/agents', suffix: '.agent.md' },
  ...mcpServers('.mcp.json', '.vscode/mcp.json'),
];

/** Without files for only one other agent, such as `~/.claude/CLAUDE.md`, which that agent reads itself. */
export const HOME_PLACES: readonly Place[] = [
  ...instructions('.copilot/copilot-instructions.md'),
  ...skills('.agents/skills', '.claude/skills', '.copilot/skills'),
  { kind: 'agent', path: '.claude/agents', suffix: '.md' },
  { kind: 'agent', path: '.copilot/agents', suffix: '.agent.md' },
];

export const STATE_ROOT_PLACES: readonly Place[] = [
  { kind: 'instructions', path: 'instructions', suffix: '.md' },
  ...skills('skills'),
  ...mcpServers('mcp.json'),
];

/**
 * Configuration that agents read in the folder that they are started in: hooks, permissions, plugins, servers, commands. An `.env`
 * may send their prompts, and their key, to another address.
 */
export const OBEYED_CONFIGURATION: readonly string[] = [
  '.claude',
  '.codex',
  '.copilot',
  '.cursor',
  '.env',
  '.gemini',
  '.github/copilot',
  '.github/hooks',
  '.github/mcp.json',
  '.opencode',
  'opencode.json',
  'opencode.jsonc',
];

/**
 * The same for folders above the project folder: agents look there too, up to the checkout's root or, without one, up to the root of
 * the file system. MCP servers of the project folder and the checkout's root are listed by name; here the file is enough.
 */
export const OBEYED_ABOVE: readonly string[] = [...OBEYED_CONFIGURATION, '.mcp.json', '.vscode/mcp.json'];
