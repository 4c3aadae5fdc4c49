import type { Row } from './gates.js';

const HOST = 'packages/host/src';
const SERVER = `${HOST}/server`;
const LIMITS = 'packages/host/test/server/serverLimits.test.ts';
const CONNECTIONS = 'test/security/connections.test.ts';
const OPEN = 'test/e2e/serveOpen.test.ts';
const REVOCATION = 'test/security/revocation.test.ts';

/** Rows of gates.ts about sockets, HTTP and tokens. */
export const SERVER_ROWS: readonly Row[] = [
  [
    '4',
    'a socket of another route survives its token',
    `${SERVER}/hostServer.ts`,
    'closeWhenRevoked(transport, credential);',
    '',
    REVOCATION,
    'said nothing yet',
  ],
  [
    '4',
    'a revoked credential attaches',
    `${HOST}/protocol/credential.ts`,
    `if (revoked.aborted) {
    close();
    return false;
  }`,
    '',
    REVOCATION,
    'credential inside the process',
  ],
  [
    '7',
    'any number of requests ahead of their answers',
    `${SERVER}/unansweredRequests.ts`,
    'if (count > this.#limits.maxUnanswered) {',
    'if (false) {',
    CONNECTIONS,
    'more requests than a few',
  ],
  [
    '7',
    'an answer may stay unread for ever',
    `${SERVER}/unansweredRequests.ts`,
    'setTimeout(() => socket.destroy(), this.#limits.answerMs)',
    'setTimeout(() => {}, this.#limits.answerMs)',
    LIMITS,
    'does not read an answer',
  ],
  [
    '7',
    'a request may take as long as it likes',
    `${SERVER}/hostServer.ts`,
    'headersTimeout: 5_000,\n  requestTimeout: 10_000,',
    'headersTimeout: 0,\n  requestTimeout: 0,',
    CONNECTIONS,
    'asks for nothing',
  ],
  [
    '7',
    'any number of connections without a token',
    `${SERVER}/guestConnections.ts`,
    'if (!isFull && this.#size <= this.#limits.maxGuests) return true;',
    'return true;',
    CONNECTIONS,
    'requests that never end',
  ],
  [
    '7',
    'a device takes all connections',
    `${SERVER}/clientSlots.ts`,
    "if (role !== 'owner') {",
    'if (false) {',
    CONNECTIONS,
    'a device can’t take all',
  ],
  [
    '7',
    'connections take the last descriptors',
    `${SERVER}/descriptors.ts`,
    '(descriptorOf(socket) ?? 0) < max',
    'true',
    LIMITS,
    'keeps a quarter',
  ],
  [
    '7',
    'every ping is answered, also while nobody reads',
    `${SERVER}/hostServer.ts`,
    'autoPong: false',
    'autoPong: true',
    CONNECTIONS,
    'pings of a client',
  ],
  [
    '7',
    'a device leaves any number of bytes unread',
    `${SERVER}/unreadBytes.ts`,
    'if (sum > MAX_UNREAD_BYTES) slowest?.cutOff();',
    '',
    LIMITS,
    'the slowest socket',
  ],
  [
    '7',
    'all that has arrived is handled in one tick',
    `${SERVER}/fairTurns.ts`,
    'const BUDGET_MS = 4;',
    'const BUDGET_MS = 1e9;',
    'packages/host/test/server/fairTurns.test.ts',
    '',
  ],
  [
    '7',
    'all that has arrived is handled in one piece',
    `${SERVER}/pacedSocket.ts`,
    'const size = this.#sliceBytes;',
    'const size = 65_536;',
    'packages/host/test/server/pacedSocket.test.ts',
    'pieces',
  ],
  [
    '3',
    'each wrong token writes to the log',
    `${SERVER}/gatheredWarnings.ts`,
    'if (count === undefined) this.#log',
    'this.#log',
    CONNECTIONS,
    'wrong tokens are told',
  ],
  [
    '3',
    'a one-time link works twice',
    `${SERVER}/oneTimeLinks.ts`,
    'this.#links.delete(code);',
    '',
    OPEN,
    'is for this machine',
  ],
  [
    '3',
    'a one-time link works from elsewhere',
    `${SERVER}/oneTimeLinks.ts`,
    '&& isLocal(request)',
    '',
    OPEN,
    'is for this machine',
  ],
  [
    '4',
    'a host does not say that its token was given',
    `${HOST}/main.ts`,
    'options.token !== undefined && { hasGivenToken: true }',
    'false',
    'test/e2e/tokenAndTls.test.ts',
    'whose token was given',
  ],
];
