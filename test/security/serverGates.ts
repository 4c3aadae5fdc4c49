import type { Row } from './gates.js';

const HOST = 'packages/host/src';
const SERVER = `${HOST}/server`;
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
];
