import type { SessionAction, SessionState } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { LogFold } from '../../../src/sessions/history/foldLog.js';
import type { LogRecord } from '../../../src/storage/log/eventLog.js';

const session = 'mock:/sample';
type Actions = readonly SessionAction[];

const turn = (n: number, queuedMessageId?: string): Actions => [
  {
    type: 'session/turnStarted',
    session,
    at: n,
    turnId: `t${n}`,
    userMessage: { text: `${n}` },
    ...(queuedMessageId !== undefined && { queuedMessageId }),
  },
  { type: 'session/turnComplete', session, at: n, turnId: `t${n}` },
];
const ready: SessionAction = { type: 'session/ready', session, at: 1 };

function folded(actions: Actions): SessionState | undefined {
  const base = { v: 1, id: 'r', at: 1 } as const;
  const start = { type: 'session.start', sessionId: 'sample', provider: 'mock', cwd: '/', createdAt: 1 } as const;
  const records: LogRecord[] = [
    { ...base, ...start, n: 1, versions: { log: 1, protocol: 1 } },
    ...actions.map((action, at) => ({ ...base, type: 'action' as const, n: at + 2, serverSeq: at + 1, action })),
  ];
  const fold = new LogFold((state) => state);
  for (const record of records) fold.take(record);
  return fold.result?.state;
}

const ends = (state: SessionState | undefined) => state?.turns.map(({ id, state: end }) => `${id} ${end}`);

describe('a log that lacks records', () => {
  it('of the end of a turn: that turn has failed, and later ones are there', () => {
    const [started] = turn(1);
    const state = folded([ready, started as SessionAction, ...turn(2), ...turn(3)]);
    expect(ends(state)).toEqual(['t1 error', 't2 complete', 't3 complete']);
    expect(state?.turns[0]?.error?.message).toBe('The end of this turn is lost: the log is damaged there.');
  });

  it('of the start of a turn: the others are there', () => {
    const [, ended] = turn(1);
    expect(ends(folded([ready, ended as SessionAction, ...turn(2)]))).toEqual(['t2 complete']);
  });

  it('of the message of a turn: the turn is there', () => {
    expect(ends(folded([ready, ...turn(1, 'q1'), ...turn(2)]))).toEqual(['t1 complete', 't2 complete']);
  });

  it('of the end of its creation: its turns are there', () => {
    const state = folded([...turn(1), ...turn(2)]);
    expect([state?.lifecycle, ends(state)]).toEqual(['ready', ['t1 complete', 't2 complete']]);
  });
});
