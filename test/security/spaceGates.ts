import type { GateRow } from './gates.js';

const HOST = 'packages/host/src';
const SPACES = 'test/security/spaces/spaces.test.ts';
const LINKS = 'packages/host/test/cluster/spaces.test.ts';
const TOLD = 'packages/host/test/cluster/linkServer.test.ts';
const MODEL = 'packages/host/test/sessionIndex/listModel.test.ts';
const STORED = 'test/e2e/storage/spaces.test.ts';

/** Rows of gates.ts about spaces. */
export const SPACE_GATES: readonly GateRow[] = [
  [
    '12',
    'a command about any session is carried out',
    `${HOST}/sessions/spaces/spaceSessions.ts`,
    'if (space !== this.#space) throw missing;',
    '',
    SPACES,
    'are answered like',
  ],
  [
    '12',
    'any session that is loaded is seen',
    `${HOST}/sessions/spaces/spaceSessions.ts`,
    'session?.space === this.#space ? session : undefined',
    'session',
    SPACES,
    'are answered like',
  ],
  [
    '12',
    'any session can be forked',
    `${HOST}/sessions/sessionHub.ts`,
    ' || (await this.spaceOf(sourceUri)) !== space',
    '',
    SPACES,
    'are answered like',
  ],
  [
    '12',
    'an id of another space opens its session',
    `${HOST}/sessions/sessionHub.ts`,
    'if (exists && (await storedSpace(this.#services.storage, uri)) !== space) throw notFound(uri);',
    '',
    LINKS,
    'is not taken',
  ],
  [
    '12',
    'everybody is told of every session',
    `${HOST}/connection/clientRegistry.ts`,
    'space === undefined ? [...',
    'true ? [...',
    SPACES,
    'are not told of',
  ],
  [
    '12',
    'the index of a folder lists all spaces',
    `${HOST}/sessionIndex/listQuery.ts`,
    'const fits = [ofSpace(query), ...conditions',
    'const fits = [...conditions',
    MODEL,
    'SQLite',
  ],
  [
    '12',
    'the database lists all spaces',
    `${HOST}/database/listStatements.ts`,
    'const fits = [ofSpace, ',
    'const fits = ["(space is not null or " + ofSpace + ")", ',
    MODEL,
    'PostgreSQL',
  ],
  [
    '12',
    'a token loses its space',
    `${HOST}/server/access/hostTokens.ts`,
    'const credential = { id, name, role, space, ',
    'const credential = { id, name, role, ',
    SPACES,
    'are answered like',
  ],
  [
    '12',
    'a host without spaces follows any session',
    `${HOST}/cluster/links/linkServer.ts`,
    'if ((await hub.spaceOf(uri)) !== space) throw notFound(uri);',
    '',
    LINKS,
    'is not taken',
  ],
  [
    '12',
    'a host without spaces is told of all of them',
    `${HOST}/cluster/links/linkServer.ts`,
    'return space === DEFAULT_SPACE || (this.#version ?? 0) >= SPACES_SINCE;',
    'return true;',
    TOLD,
    'knows no spaces',
  ],
  [
    '12',
    'a host without spaces reads all sessions of a database',
    `${HOST}/database/schema.ts`,
    "from session_all where space = 'default'",
    'from session_all',
    LINKS,
    'under the old names',
  ],
  [
    '12',
    'a host without spaces reads all sessions of a folder',
    `${HOST}/storage/log/lineFormat.ts`,
    'record.space !== undefined ? LOG_VERSION',
    'record.space !== undefined ? FIRST_VERSION',
    STORED,
    'first record',
  ],
];
