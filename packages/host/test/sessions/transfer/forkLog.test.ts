import { Readable } from 'node:stream';
import type { SessionAction } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { findForkPoint } from '../../../src/sessions/transfer/forkLog.js';
import type { LogRecord } from '../../../src/storage/log/eventLog.js';

const session = 'mock:/a';
const base = (n: number) => ({ v: 1, n, id: `r${n}`, at: n }) as const;

function action(n: number, fields: Pick<SessionAction, 'type'> & Record<string, unknown>): LogRecord {
  return {
    ...base(n),
    type: 'action',
    serverSeq: n,
    action: { session, at: n, ...fields } as unknown as SessionAction,
  };
}

const checkpoint = (n: number, name: string): LogRecord => ({
  ...base(n),
  type: 'session.checkpoint',
  path: `/states/a/checkpoints/${name}`,
});

const records: LogRecord[] = [
  {
    ...base(1),
    type: 'session.start',
    sessionId: 'a',
    provider: 'mock',
    cwd: '/',
    versions: { log: 1, protocol: 1 },
    createdAt: 1,
  },
  action(2, { type: 'session/ready' }),
  action(3, { type: 'session/turnStarted', turnId: 't1', userMessage: { text: 'one' } }),
  checkpoint(4, '001-one.md'),
  action(5, { type: 'session/turnComplete', turnId: 't1' }),
  action(6, { type: 'session/turnStarted', turnId: 't2', userMessage: { text: 'two' } }),
  checkpoint(7, '002-two.md'),
];
const ended = [...records, action(8, { type: 'session/turnComplete', turnId: 't2' })];

const [one, two] = ['/states/a/checkpoints/001-one.md', '/states/a/checkpoints/002-two.md'];

it.each([
  [
    'a turn that still runs',
    records,
    undefined,
    { isCut: true, lastN: 5, lastTurnId: 't1', derivedTitle: 'one', lastCheckpoint: one },
  ],
  [
    'an earlier turn',
    ended,
    't1',
    { isCut: true, lastN: 5, lastTurnId: 't1', derivedTitle: 'one', lastCheckpoint: one },
  ],
  [
    'nothing left out',
    ended,
    undefined,
    { isCut: false, lastN: 8, lastTurnId: 't2', derivedTitle: 'one', lastCheckpoint: two },
  ],
  ['its first turn running', records.slice(0, 4), undefined, { isCut: true, lastN: 2 }],
  ['no turn at all', records.slice(0, 2), undefined, { isCut: false, lastN: 2 }],
] as const)('with %s, the fork has what belongs to its own turns', async (_, source, toTurnId, expected) => {
  expect(await findForkPoint(Readable.from(source), toTurnId)).toEqual({ start: records[0], ...expected });
});

it.each(['t2', 'never'])('at a running or unknown turn, there is no fork: %s', async (turnId) => {
  expect(await findForkPoint(Readable.from(records), turnId)).toBeUndefined();
});
