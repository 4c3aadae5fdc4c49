import type { GateRow } from './gates.js';

const LOGIN = 'packages/host/src/agents/login';
const TEST = 'test/e2e/agents/agentLogin.test.ts';

/** Point 17: who may log in to an agent, what bounds it, and what is kept of it. */
export const LOGIN_GATES: readonly GateRow[] = [
  [
    '17',
    'a driver logs in',
    'packages/protocol/src/tables/commandTable.ts',
    "beginLogin: { since: 2, role: 'owner' }",
    "beginLogin: { since: 2, role: 'driver' }",
    TEST,
    'only for the owner who began it',
  ],
  [
    '17',
    'another client types into a log-in',
    `${LOGIN}/agentLogins.ts`,
    'if (running?.client !== client)',
    'if (!running)',
    TEST,
    'only for the owner who began it',
  ],
  [
    '17',
    'a log-in goes on without its client',
    `${LOGIN}/agentLogins.ts`,
    'if (one.client === client) one.terminal',
    'if (one.client !== client) one.terminal',
    TEST,
    'that hangs',
  ],
  [
    '17',
    'two log-ins to one agent',
    `${LOGIN}/agentLogins.ts`,
    'if (isBusy) throw',
    'if (false) throw',
    TEST,
    'that hangs',
  ],
  [
    '17',
    'a log-in prints without an end',
    `${LOGIN}/loginTerminal.ts`,
    'if (this.#total > this.#options.limits.maxOutput) {',
    'if (this.#total > 100 * this.#options.limits.maxOutput) {',
    TEST,
    'that floods',
  ],
  [
    '17',
    'a refused key is kept',
    `${LOGIN}/agentLogins.ts`,
    "if (checked === 'refused') {",
    'if (false) {',
    TEST,
    'is checked, kept for its agent alone',
  ],
  [
    '17',
    'others can read the key',
    `${LOGIN}/keyFile.ts`,
    'await writePrivateFile(path, ',
    "await (await import('node:fs/promises')).writeFile(path, ",
    TEST,
    'is checked, kept for its agent alone',
  ],
  [
    '17',
    'a log-in runs in a folder where others can write',
    `${LOGIN}/emptyFolder.ts`,
    "mkdtemp(join(parent, '.empty-'))",
    "mkdtemp('/tmp/agenthost-empty-')",
    TEST,
    'that fails, or leaves nobody logged in',
  ],
];
