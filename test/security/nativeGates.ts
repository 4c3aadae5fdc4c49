import type { GateRow } from './gates.js';

const NATIVE = 'packages/host/src/agents/native';
const TEST = 'test/e2e/agents/nativeSessions.test.ts';
const COPIES = 'test/e2e/agents/deletedCopies.test.ts';
const READERS = 'packages/host/test/agents/native/readers.test.ts';

/** Point 18: who sees conversations from terminals, and what is read of them. */
export const NATIVE_GATES: readonly GateRow[] = [
  [
    '20',
    'a driver reads what was said in a terminal',
    'packages/protocol/src/tables/commandTable.ts',
    "fetchNativeTurns: { since: 2, role: 'owner' }",
    "fetchNativeTurns: { since: 2, role: 'driver' }",
    TEST,
    'only for owners',
  ],
  [
    '20',
    'another space sees them',
    'packages/host/src/connection/commands/nativeHandlers.ts',
    'native && client.space === DEFAULT_SPACE',
    'native',
    TEST,
    'only for owners',
  ],
  [
    '20',
    'links in a store are followed',
    `${NATIVE}/foreignLines.ts`,
    'followsLinks: false',
    'followsLinks: true',
    READERS,
    'follows no links',
  ],
  [
    '20',
    'a line of any length is read',
    `${NATIVE}/foreignLines.ts`,
    'const MAX_LINE_BYTES = 8 * 1024 * 1024;',
    'const MAX_LINE_BYTES = 800 * 1024 * 1024;',
    READERS,
    'keeps the turns around lines',
  ],
  [
    '20',
    'a conversation that is open in a terminal is continued',
    `${NATIVE}/nativeSessions.ts`,
    'if (!asCopy) this.#mustRest(row, isOpen);',
    'if (asCopy) this.#mustRest(row, isOpen);',
    TEST,
    'refuses to continue one that is open',
  ],
  [
    '20',
    'a driver has the copy of an agent deleted',
    'packages/host/src/sessions/removedSession.ts',
    "agentCopy === 'delete' ? roleRefusal(role, 'owner')",
    "agentCopy === 'delete' ? roleRefusal(role, 'driver')",
    COPIES,
    'is for owners only',
  ],
  [
    '20',
    'what was said in a terminal is deleted unseen',
    `${NATIVE}/nativeGuard.ts`,
    'if (unseen.length === 0) return;',
    'if (unseen.length >= 0) return;',
    COPIES,
    'somebody spoke there since',
  ],
  [
    '20',
    'a program that deletes runs in a folder that is not trusted',
    'packages/host/src/sessions/removedSession.ts',
    'customizations?.mustAsk !== true &&',
    '',
    COPIES,
    'not run where that is not trusted',
  ],
  [
    '20',
    'the id of a conversation is an option of the program',
    'packages/host/src/agents/acp/deleteConversation.ts',
    'const SAFE_ID = /^\\w[',
    'const SAFE_ID = /^[\\w-][',
    COPIES,
    'take for an option',
  ],
];
