import type { GateRow } from './gates.js';

const HOST = 'packages/host/src';
const FLOODS = 'packages/host/test/agents/floods.test.ts';
const LONG_TURN = 'test/e2e/longTurn.test.ts';
const ANSWERS = 'test/e2e/boundedAnswers.test.ts';
const MEMORY = 'test/e2e/sessionMemory.test.ts';

/** What bounds turns, answers and sessions in memory. The attacks themselves run on the built command; these tests on its modules. */
export const BOUND_GATES: readonly GateRow[] = [
  [
    'attack',
    "a turn's state holds every part",
    'packages/protocol/src/reducers/turnWindow.ts',
    'responseParts.length > MAX_TURN_PARTS ||',
    'false &&',
    LONG_TURN,
    'is a window on the host',
  ],
  [
    'attack',
    'any number of open calls',
    `${HOST}/agents/openSteps.ts`,
    'this.#steps.size > MAX_OPEN_STEPS ||',
    'false ||',
    FLOODS,
    'at the same time',
  ],
  [
    'attack',
    'any number of steps',
    `${HOST}/agents/agentEventMapper.ts`,
    'this.#steps > MAX_TURN_STEPS ?',
    'false ?',
    FLOODS,
    'so many steps',
  ],
  [
    'attack',
    'a snapshot of any size',
    `${HOST}/sessions/snapshotState.ts`,
    'withTurnsWithin(state, { turns, bytes: room })',
    'withTurnsWithin(state, { turns, bytes: Infinity })',
    LONG_TURN,
    'bounds pages of turns',
  ],
  [
    'attack',
    'a handshake of any size',
    `${HOST}/protocol/snapshotRoom.ts`,
    'this.#bytes / Math.max(this.#left, 1)',
    'MAX_PAGE_BYTES',
    ANSWERS,
    'to a handshake',
  ],
  [
    'attack',
    'any number of missed bytes',
    `${HOST}/state/replayBuffer.ts`,
    'if (room < 0) return undefined;',
    '',
    ANSWERS,
    'to reconnect',
  ],
  [
    'attack',
    'a page of parts of any size',
    `${HOST}/sessions/readParts.ts`,
    'return room < 0 && at < wanted.length - 1;',
    'return false;',
    ANSWERS,
    'of fetchParts',
  ],
  [
    'attack',
    'any number of bytes in loaded sessions',
    `${HOST}/sessions/loadedSessions.ts`,
    'await this.#makeRoom();',
    '',
    MEMORY,
    'are not loaded when',
  ],
  [
    'attack',
    'a session leaves under who works with it',
    `${HOST}/sessions/loadedSessions.ts`,
    '!this.#held.has(session.uri) &&',
    '',
    'test/e2e/heldSessions.test.ts',
    'is forked',
  ],
  [
    'attack',
    'output that is not in the state counts',
    `${HOST}/sessions/stateBytes.ts`,
    'if (isSame && this.#running < Math.max(2 * this.#counted, MIN_RECOUNT)) return;',
    'if (isSame) return;',
    'packages/host/test/sessions/stateBytes.test.ts',
    'does not hold',
  ],
  [
    'attack',
    'a session leaves while its turn runs',
    `${HOST}/sessions/session.ts`,
    'store.state.activeTurn !== undefined || run?.isBusy || intake.isBusy',
    'intake.isBusy',
    'test/e2e/heldSessions.test.ts',
    'while its turn runs',
  ],
];
