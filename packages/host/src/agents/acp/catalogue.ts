import { removeEmptyTwins } from '../native/geminiTwins.js';
import type { AcpAgentSpec } from './acpAgentSpec.js';

const MEGABYTE = 1_000_000;
const NONE = { args: [], env: {}, passEnv: [], models: [] } as const;

/**
 * opencode allows everything that its configuration does not name. `question` and the plan tools stay off, as they are by default: `*`
 * would turn them on. Sub-agents (`task`) are off because opencode drops their questions over ACP, so their calls would wait for ever.
 */
const OPENCODE_PERMISSION = {
  '*': 'ask',
  ...Object.fromEntries(['question', 'plan_enter', 'plan_exit', 'task'].map((tool) => [tool, 'deny'])),
  ...Object.fromEntries(['glob', 'grep', 'list', 'lsp', 'skill', 'todowrite'].map((tool) => [tool, 'allow'])),
  read: { '*': 'allow', '*.env': 'ask', '*.env.*': 'ask', '*.env.example': 'allow' },
  // Named although `*` covers them: otherwise a rule for one of them in the user's own file would win.
  ...Object.fromEntries(['bash', 'edit', 'external_directory', 'webfetch', 'websearch'].map((tool) => [tool, 'ask'])),
};

/** The agents that this host knows by name, with the versions that it was tested with. */
export const CATALOGUE: readonly AcpAgentSpec[] = [
  {
    ...NONE,
    provider: 'claude',
    displayName: 'Claude Code',
    description: "Anthropic's coding agent.",
    icon: 'asterisk',
    command: 'claude-agent-acp',
    reads: ['CLAUDE.md', '.claude/skills/', '.claude/agents/'],
    npm: { name: '@agentclientprotocol/claude-agent-acp', version: '0.99.1', sizeHint: 360 * MEGABYTE },
    loginProgram: ['claude-agent-acp', '--cli', 'auth', 'login'],
    logoutProgram: ['claude-agent-acp', '--cli', 'auth', 'logout'],
    statusProgram: ['claude-agent-acp', '--cli', 'auth', 'status'],
    key: {
      variable: 'ANTHROPIC_API_KEY',
      check: {
        url: 'https://api.anthropic.com/v1/models?limit=1',
        header: 'x-api-key',
        headers: { 'anthropic-version': '2023-06-01' },
      },
    },
    login:
      'Log in with Claude Code (claude, then /login), or give it a key: "passEnv": ["ANTHROPIC_API_KEY"] for claude in agents.json.',
  },
  {
    ...NONE,
    provider: 'codex',
    displayName: 'Codex',
    description: "OpenAI's coding agent.",
    icon: 'box',
    command: 'codex-acp',
    reads: ['AGENTS.md', '.agents/skills/'],
    keepsCopies: true,
    npm: { name: '@agentclientprotocol/codex-acp', version: '2.6.0', sizeHint: 460 * MEGABYTE },
    // By default a model decides what may run; here people are asked.
    env: { INITIAL_AGENT_MODE: 'workspace-write' },
    // By default it waits for a browser on the host's machine; a code works from anywhere.
    loginProgram: ['codex', 'login', '--device-auth'],
    logoutProgram: ['codex', 'logout'],
    statusProgram: ['codex', 'login', 'status'],
    // Over ACP it only moves the conversation to an archive.
    deleteProgram: ['codex', 'delete', '--force'],
    key: {
      variable: 'OPENAI_API_KEY',
      authMethod: 'api-key',
      check: { url: 'https://api.openai.com/v1/models', header: 'authorization' },
    },
    login:
      'Log in with Codex (codex login), or give it a key: "passEnv": ["OPENAI_API_KEY"] and "authMethod": "api-key" for codex in agents.json.',
  },
  {
    ...NONE,
    provider: 'gemini',
    displayName: 'Gemini CLI',
    description: "Google's coding agent.",
    icon: 'sparkle',
    command: 'gemini',
    reads: ['GEMINI.md', '.agents/skills/'],
    args: ['--acp'],
    npm: { name: '@google/gemini-cli', version: '0.61.0', sizeHint: 100 * MEGABYTE },
    // Without the first variable it would restart itself with more memory, and the host would kill the wrong process. The host starts it
    // only where nothing needs trust or the folder is trusted; without the second variable it would start no MCP server.
    env: { GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    // It has no command that only logs in: it asks when it starts, and ends with /quit.
    loginProgram: ['gemini'],
    deleteProgram: ['gemini', '--delete-session'],
    deletesInFolder: true,
    tidy: removeEmptyTwins,
    key: {
      variable: 'GEMINI_API_KEY',
      authMethod: 'gemini-api-key',
      check: { url: 'https://generativelanguage.googleapis.com/v1beta/models?pageSize=1', header: 'x-goog-api-key' },
    },
    login:
      'Log in with Gemini CLI (run gemini once), or give it a key: "passEnv": ["GEMINI_API_KEY"] and "authMethod": "gemini-api-key" for gemini in agents.json.',
  },
  {
    ...NONE,
    provider: 'opencode',
    displayName: 'opencode',
    description: 'An open coding agent for many models.',
    icon: 'braces',
    command: 'opencode',
    reads: ['AGENTS.md', '.agents/skills/', '.claude/skills/'],
    args: ['acp'],
    npm: { name: 'opencode-ai', version: '1.18.33', sizeHint: 360 * MEGABYTE, scripts: ['opencode-ai'] },
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_PERMISSION: JSON.stringify(OPENCODE_PERMISSION) },
    loginProgram: ['opencode', 'auth', 'login'],
    deleteProgram: ['opencode', 'session', 'delete'],
    login: 'Log in to a provider of models: opencode auth login.',
  },
  {
    ...NONE,
    provider: 'copilot-acp',
    displayName: 'Copilot CLI',
    description: "GitHub's coding agent, over the Agent Client Protocol.",
    icon: 'bot',
    command: 'copilot',
    reads: [
      'AGENTS.md',
      'CLAUDE.md',
      'GEMINI.md',
      '.agents/skills/',
      '.claude/skills/',
      '.github/agents/',
      '.github/copilot-instructions.md',
      '.github/instructions/',
      '.github/skills/',
    ],
    args: ['--acp', '--no-auto-update'],
    refusesPrograms: true,
    countsTotals: true,
    npm: { name: '@github/copilot', version: '1.0.102', sizeHint: 190 * MEGABYTE },
    loginProgram: ['copilot', 'login', '--device-code'],
    key: {
      variable: 'COPILOT_GITHUB_TOKEN',
      check: { url: 'https://api.github.com/user', header: 'authorization', headers: { 'user-agent': 'agenthost' } },
    },
    login: 'Log in with Copilot CLI: copilot login.',
  },
];
