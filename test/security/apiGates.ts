import type { GateRow } from './gates.js';

const API = 'packages/host/src/api';
const GATE = 'packages/host/src/server/apiGate.ts';
const SECURITY = 'test/security/api.test.ts';
const ROUTES = 'test/security/routes.test.ts';
const REQUESTS = 'test/e2e/api/requests.test.ts';
const RATE = 'packages/host/test/api/requestRate.test.ts';

/** Rows of gates.ts about HTTP for scripts. */
export const API_GATES: readonly GateRow[] = [
  [
    '2',
    'the API answers any Host and Origin',
    'packages/host/src/server/hostServer.ts',
    '!refused && this.#api && isForApi',
    'this.#api && isForApi',
    ROUTES,
    'own names',
  ],
  [
    '3',
    'a token in an address opens the API',
    GATE,
    'const { authorization } = headers;',
    "const authorization = headers.authorization ?? 'Bearer ' + arguments[0].url.split('token=')[1];",
    ROUTES,
    'no address',
  ],
  [
    '4',
    'a read-only link opens the API',
    GATE,
    'credential === undefined || credential.shared',
    'credential === undefined',
    SECURITY,
    'read-only link',
  ],
  [
    '7',
    'a body of any size',
    `${API}/requestBody.ts`,
    'if (bytes > MAX_BODY_BYTES)',
    'if (false)',
    REQUESTS,
    'answered with what is wrong',
  ],
  [
    '7',
    'a body of any depth',
    `${API}/requestBody.ts`,
    'maxDepth: MAX_JSON_DEPTH - 2',
    'maxDepth: 10_000',
    REQUESTS,
    'answered with what is wrong',
  ],
  [
    '7',
    'any number of requests at a time',
    `${API}/requestRate.ts`,
    'if (token[as] >=',
    'if (-1 >=',
    RATE,
    'at the same time',
  ],
  [
    '7',
    'any number of requests',
    `${API}/requestRate.ts`,
    'if (token.left < 1)',
    'if (false)',
    RATE,
    'bounded in number',
  ],
  [
    '7',
    'any number of connections to the API',
    GATE,
    'if (!release) return false;',
    'if (!release) return true;',
    SECURITY,
    'slots',
  ],
  [
    'keys',
    'a key is the same for all tokens',
    `${API}/idempotency.ts`,
    'const seed = `',
    'const seed = key || `',
    SECURITY,
    'means nothing to another',
  ],
  [
    'keys',
    'a key of another request counts',
    `${API}/idempotency.ts`,
    'if (known && known.fingerprint !== fingerprint) throw otherRequest();',
    '',
    REQUESTS,
    'refused for another request',
  ],
];
