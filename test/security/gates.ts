import { AGENT_GATES } from './agentGates.js';
import { API_GATES } from './apiGates.js';
import { BOUND_GATES } from './boundGates.js';
import { CLI_GATES } from './cliGates.js';
import { FILE_GATES } from './fileGates.js';
import { LOGIN_GATES } from './loginGates.js';
import { MCP_GATES } from './mcpGates.js';
import { NATIVE_GATES } from './nativeGates.js';
import { PUSH_GATES } from './pushGates.js';
import { SERVER_GATES } from './serverGates.js';
import { SHARE_GATES } from './shares/shareGates.js';
import { SPACE_GATES } from './spaceGates.js';
import { TERMINAL_GATES } from './terminalGates.js';
import { TOOL_GATES } from './toolGates.js';
import { WEBHOOK_GATES } from './webhookGates.js';
import { WORK_GATES } from './workGates.js';

/** A check of the product that is taken away, and the test that must notice. */
export interface Gate {
  readonly point: string;
  /** What is broken. */
  readonly what: string;
  readonly module: string;
  /** Occurs once in the module; `to` takes its place. */
  readonly from: string;
  readonly to: string;
  readonly test: string;
  /** Which tests of the file are run. */
  readonly named: string;
}

const HOST = 'packages/host/src';
const SERVER = `${HOST}/server`;
const POINTS = 'test/security/points.test.ts';
const ROUTES = 'test/security/routes.test.ts';
const ACCESS = 'test/e2e/connections/access.test.ts';
const PAGE = 'test/e2e/connections/pageFiles.test.ts';
const AGENT = 'test/security/hostileAgent.test.ts';
const ROLES = 'test/e2e/connections/roles.test.ts';
const LOCAL = 'packages/host/test/storage/fs/localSessionFs.test.ts';

export type GateRow = readonly [
  point: string,
  what: string,
  module: string,
  from: string,
  to: string,
  test: string,
  named: string,
];

const ROWS: readonly GateRow[] = [
  ['1', 'tokens of 64 bits', `${SERVER}/access/tokenFile.ts`, 'randomBytes(32)', 'randomBytes(8)', POINTS, 'point 1:'],
  [
    '1',
    'weak tokens are taken',
    `${SERVER}/access/tokenFile.ts`,
    'token.length < MIN_TOKEN_LENGTH ||',
    '',
    POINTS,
    'point 1:',
  ],
  ['1', 'all addresses by default', `${HOST}/openServer.ts`, "?? '127.0.0.1'", "?? '0.0.0.0'", POINTS, 'point 1:'],
  ['2', 'any Host', `${SERVER}/requestGuard.ts`, '!this.#hosts.has(host.toLowerCase())', 'false', ROUTES, 'own names'],
  [
    '2',
    'any Origin',
    `${SERVER}/requestGuard.ts`,
    '!this.#origins.has(origin.toLowerCase())',
    'false',
    ROUTES,
    'own names',
  ],
  [
    '3',
    'wrong tokens are answered at once',
    `${SERVER}/access/authenticator.ts`,
    'FIRST_DELAY_MS = 100',
    'FIRST_DELAY_MS = 0',
    POINTS,
    'point 3:',
  ],
  [
    '3',
    'the owner’s token in an address',
    `${SERVER}/hostServer.ts`,
    'notOwner(authenticator.identifyToken(token))',
    'authenticator.identifyToken(token)',
    ROUTES,
    'no address',
  ],
  [
    '4',
    'a token file that all can read',
    `${HOST}/storage/fs/writePrivateFile.ts`,
    "'wx', 0o600",
    "'wx', 0o644",
    POINTS,
    'point 4:',
  ],
  [
    '4',
    'rotation closes nothing',
    `${SERVER}/access/hostTokens.ts`,
    "rotated?.revoke(unauthorized('the token was rotated'));",
    '',
    POINTS,
    'point 4:',
  ],
  [
    '4',
    'removal closes nothing',
    `${SERVER}/access/hostTokens.ts`,
    'if (revoked.length === 0) return;',
    'return;',
    POINTS,
    'point 4:',
  ],
  [
    '5',
    'the page in frames of others',
    `${SERVER}/pageFiles.ts`,
    `"frame-ancestors 'none'",`,
    '',
    PAGE,
    'strict policy',
  ],
  [
    '5',
    'diagrams have the origin of the page',
    `${SERVER}/pageFiles.ts`,
    "'sandbox allow-scripts',",
    '',
    PAGE,
    'an origin of its own',
  ],
  [
    '5',
    'diagrams run any script',
    `${SERVER}/pageFiles.ts`,
    "script-src 'sha256-",
    "script-src 'unsafe-inline' 'sha256-",
    PAGE,
    'an origin of its own',
  ],
  [
    '5',
    'scripts inline',
    `${SERVER}/pageFiles.ts`,
    `"script-src 'self'"`,
    `"script-src 'self' 'unsafe-inline'"`,
    PAGE,
    'strict policy',
  ],
  [
    '5',
    'other answers in frames of others',
    `${SERVER}/securityHeaders.ts`,
    "; frame-ancestors 'none'",
    '',
    ROUTES,
    'protective headers',
  ],
  [
    '5',
    'types are guessed',
    `${SERVER}/securityHeaders.ts`,
    "'x-content-type-options': 'nosniff',",
    '',
    ROUTES,
    'protective headers',
  ],
  [
    '5',
    'referrers',
    `${SERVER}/securityHeaders.ts`,
    "'referrer-policy': 'no-referrer',",
    '',
    ROUTES,
    'protective headers',
  ],
  ['5', 'any path is answered', `${SERVER}/routes.ts`, ' && route.path === request.url', '', POINTS, 'point 5:'],
  ['7', 'any depth', 'packages/rpc/src/peer/message.ts', 'stack.length + 1 >= maxDepth', 'false', POINTS, 'point 7:'],
  [
    '7',
    'keys of prototypes',
    'packages/rpc/src/peer/message.ts',
    " || key === 'constructor' || key === 'prototype'",
    '',
    POINTS,
    'point 7:',
  ],
  [
    '7',
    'frames of any length',
    'packages/rpc/src/peer/message.ts',
    'exceedsUtf8Bytes(text, limits.maxFrameBytes)',
    'false',
    ACCESS,
    'a frame over the limit',
  ],
  [
    '7',
    'frames far over it are read',
    `${SERVER}/hostServer.ts`,
    'webSocketServer(FAR_OVER_BYTES)',
    'webSocketServer(0)',
    ROLES,
    'a frame far over',
  ],
  [
    '7',
    'frames of the owner that are far over it are taken',
    `${SERVER}/sockets/webSocketTransport.ts`,
    '(data as Buffer).length > this.#maxReceivedBytes',
    'false',
    ACCESS,
    'a frame far over',
  ],
  [
    '7',
    'any number of connections',
    `${SERVER}/sockets/admission.ts`,
    'if (this.#size >= this.#max) return undefined;',
    '',
    ACCESS,
    'more connections',
  ],
  [
    '7',
    'any rate',
    `${SERVER}/sockets/webSocketTransport.ts`,
    'if (this.#budget > 0 || this.#webSocket.isPaused) return;',
    'return;',
    ACCESS,
    'frames over the rate',
  ],
  [
    '7',
    'any number of subscriptions',
    `${HOST}/connection/connectionSubscriptions.ts`,
    'this.#subscribed.size + this.#opening.size >= MAX_SUBSCRIPTIONS',
    'false',
    'test/e2e/connections/handshake.test.ts',
    '',
  ],
  [
    '7',
    'any number of requests',
    'packages/rpc/src/peer/dispatcher.ts',
    "signal === 'full'",
    'false',
    'packages/rpc/test/rpcPeerLimits.test.ts',
    '',
  ],
  [
    '7',
    'an agent’s line without end',
    `${HOST}/agents/acp/turn/messageStream.ts`,
    'maxMessageBytes: 16',
    'maxMessageBytes: 16_000',
    AGENT,
    'endless line',
  ],
  [
    '7',
    'no word of garbage from an agent',
    `${HOST}/agents/acp/turn/messageStream.ts`,
    'maxStrayLines: 100',
    'maxStrayLines: 0',
    AGENT,
    'invalid, deep',
  ],
  [
    '8',
    'any id of a session',
    'packages/protocol/src/uri.ts',
    'return SESSION_ID.test(text);',
    'return true;',
    POINTS,
    'point 8:',
  ],
  [
    '8',
    'a path with dots',
    `${HOST}/storage/fs/confinement.ts`,
    'if (!this.#rootOf(absolute)) throw refusal(path);',
    '',
    LOCAL,
    '',
  ],
  [
    '8',
    'a link that leads out',
    `${HOST}/storage/fs/confinement.ts`,
    'if (!this.#rootOf(real)) throw refusal(path);',
    '',
    LOCAL,
    '',
  ],
  [
    '8',
    'a folder that is swapped for a link',
    `${HOST}/storage/fs/confinement.ts`,
    'isAllowed(real);\n    return await work(pinned);',
    'return await work(folder);',
    'test/security/pathEscapes.test.ts',
    '',
  ],
  [
    '8',
    'an agent reads through the host',
    `${HOST}/agents/acp/acpWire.ts`,
    ".onNotification('*', () => {})",
    ".onRequest('fs/read_text_file', (all) => all, () => ({ content: 'x' })).onNotification('*', () => {})",
    AGENT,
    'gets no file',
  ],
  [
    '9',
    'an agent has terminals that are not there',
    `${HOST}/agents/acp/terminals.ts`,
    'if (!terminal) throw acp.RequestError.resourceNotFound(',
    'if (!terminal) return { output: () => ({ output: "", truncated: false }), kill: () => {} }; void (',
    AGENT,
    'acts only for its own',
  ],
  [
    'roles',
    'no command is checked',
    `${HOST}/connection/clientConnection.ts`,
    'checkMethod(this.role, method);',
    '',
    ROLES,
    'each command',
  ],
  [
    'roles',
    'no action is checked',
    `${HOST}/connection/clientConnection.ts`,
    'roleRefusal(this.role, roleForAction(action))',
    'undefined',
    ROLES,
    'each action',
  ],
  [
    'roles',
    'what has no row is for all',
    'packages/protocol/src/tables/tableRules.ts',
    "own(NOTIFICATION_ROLES, method) ?? 'owner'",
    "own(NOTIFICATION_ROLES, method) ?? 'viewer'",
    'packages/protocol/test/roleTable.test.ts',
    '',
  ],
  [
    'roles',
    'an approver writes another command',
    'packages/protocol/src/tables/tableRules.ts',
    'if (editedToolInput !== undefined) return',
    'if (false) return',
    ROLES,
    'an approver answers',
  ],
  [
    'roles',
    'a driver trusts a folder',
    'packages/protocol/src/tables/tableRules.ts',
    'if (grantsTrust(requestId, approved, optionId)) return',
    'if (false) return',
    POINTS,
    'point 10:',
  ],
];

const ALL = [
  ...ROWS,
  ...SERVER_GATES,
  ...CLI_GATES,
  ...BOUND_GATES,
  ...AGENT_GATES,
  ...API_GATES,
  ...MCP_GATES,
  ...WEBHOOK_GATES,
  ...LOGIN_GATES,
  ...TERMINAL_GATES,
  ...NATIVE_GATES,
  ...PUSH_GATES,
  ...SPACE_GATES,
  ...TOOL_GATES,
  ...WORK_GATES,
  ...FILE_GATES,
  ...SHARE_GATES,
];

export const GATES: readonly Gate[] = ALL.map(([point, what, module, from, to, test, named]) => ({
  point,
  what,
  module,
  from,
  to,
  test,
  named,
}));
