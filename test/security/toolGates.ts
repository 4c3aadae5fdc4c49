import type { GateRow } from './gates.js';

const TOOLS = 'packages/host/src/clientTools';
const SERVER = `${TOOLS}/toolServer.ts`;
const TEST = 'packages/host/test/clientTools/toolServer.test.ts';
const E2E = 'test/e2e/agents/clientTools.test.ts';

/** Point 22: who may offer tools to an agent, and who reaches the server that passes them on. */
export const TOOL_GATES: readonly GateRow[] = [
  [
    '22',
    'a viewer offers tools',
    'packages/protocol/src/tables/commandTable.ts',
    "setClientTools: { since: 2, role: 'driver' }",
    "setClientTools: { since: 2, role: 'viewer' }",
    E2E,
    'need the role driver',
  ],
  [
    '22',
    'a schema that points elsewhere',
    `${TOOLS}/checkTools.ts`,
    'if (refersElsewhere(inputSchema))',
    'if (false)',
    E2E,
    'refused as a whole',
  ],
  [
    '22',
    'one name for two clients',
    `${TOOLS}/sessionTools.ts`,
    'if (other) throw',
    'if (false) throw',
    E2E,
    'have a name once',
  ],
  [
    '22',
    'answers that nobody checks',
    `${TOOLS}/toolResult.ts`,
    'if (error) return',
    'if (error) return answer as never; else if (false) return',
    E2E,
    'answers that are not valid',
  ],
  [
    '22',
    'any token',
    SERVER,
    "!timingSafeEqual(digest(headers.authorization ?? ''), expected)",
    'false',
    TEST,
    'its own token only',
  ],
  ['22', 'any Host', SERVER, 'headers.host !== host || ', '', TEST, 'under its own name'],
  ['22', 'any Origin', SERVER, ' || headers.origin !== undefined', '', TEST, 'under its own name'],
  [
    '22',
    'all addresses',
    SERVER,
    "const ADDRESS = '127.0.0.1'",
    "const ADDRESS = '0.0.0.0'",
    TEST,
    'on this machine only',
  ],
  ['22', 'a body of any length', SERVER, 'if (bytes > MAX_MCP_BYTES)', 'if (false)', TEST, 'of a bounded length'],
  // Only root can be another user.
  ...(process.getuid?.() === 0
    ? ([['22', 'any user', SERVER, '(await isOwnUser(request.socket))', 'true', TEST, 'no other user']] as const)
    : []),
];
