import type { SessionAction } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import type { LogRecord } from '../../src/sessionFs/eventLog.js';
import { forkLog } from '../../src/sessions/forkLog.js';

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
const target = {
  source: { uri: session, sessionId: 'a', statePath: '/states/a' },
  session: 'mock:/b',
  sessionId: 'b',
  statePath: '/states/b',
  createdAt: 9,
};

it.each([
  ['a turn that still runs', records, undefined, { isCut: true, lastCheckpoint: '/states/b/checkpoints/001-one.md' }],
  ['an earlier turn', ended, 't1', { isCut: true, lastCheckpoint: '/states/b/checkpoints/001-one.md' }],
  ['nothing left out', ended, undefined, { isCut: false, lastCheckpoint: '/states/b/checkpoints/002-two.md' }],
] as const)('with %s, the fork has the checkpoints of its own turns', (_, source, toTurnId, expected) => {
  expect(forkLog(source, { ...target, ...(toTurnId && { toTurnId }) })).toMatchObject(expected);
});
