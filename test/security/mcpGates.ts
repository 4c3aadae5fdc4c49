import type { GateRow } from './gates.js';

const MCP = 'packages/host/src/api/mcp';
const SECURITY = 'test/security/mcp.test.ts';
const AGENTS = 'test/e2e/mcp/agents.test.ts';
const QUOTA = 'packages/host/test/api/sessionQuota.test.ts';

/** Rows of gates.ts about the tools for other agents, over MCP. */
export const MCP_GATES: readonly GateRow[] = [
  [
    '4',
    'a revoked token goes on sending',
    `${MCP}/mcpRoute.ts`,
    "revoked.addEventListener('abort', end, { once: true });",
    '',
    SECURITY,
    'still being sent',
  ],
  [
    '7',
    'any number of answers that wait',
    `${MCP}/mcpRoute.ts`,
    'const goesOnAsStream = rate.begin(access.credential.id, response, false);',
    'const goesOnAsStream = () => {};',
    SECURITY,
    'too many answers at once',
  ],
  [
    'agents',
    'an agent answers its own question',
    `${MCP}/toolCall.ts`,
    'if (isSame(session, caller))',
    'if (false)',
    AGENTS,
    'never answers for itself',
  ],
  [
    'agents',
    'an agent drives sessions that it has not started',
    `${MCP}/toolCall.ts`,
    'if (startOf(summary)?.sessions.some((one) => isSame(one, caller))) return;',
    'return;',
    AGENTS,
    'nothing above or beside',
  ],
  [
    'agents',
    'sessions start one another at any depth',
    `${MCP}/startSession.ts`,
    'if (above.depth >= MAX_DEPTH)',
    'if (false)',
    AGENTS,
    'at most 3 deep',
  ],
  [
    'agents',
    'any number of sessions below one',
    `${MCP}/startSession.ts`,
    'const ids = root === undefined ?',
    'const ids = root !== "" ?',
    AGENTS,
    'at most 16 sessions',
  ],
  [
    'agents',
    'any number of sessions by one token',
    `${MCP}/sessionQuota.ts`,
    'if (recent.length >= MAX_STARTS)',
    'if (false)',
    QUOTA,
    'bounds',
  ],
];
