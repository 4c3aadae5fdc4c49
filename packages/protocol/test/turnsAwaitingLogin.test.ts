import { describe, expect, it } from 'vitest';
import { turnsAwaitingLogin } from '../src/turnsAwaitingLogin.js';
import type { Turn } from '../src/types/turns.js';

const turn = (id: string, change: object = {}) =>
  ({
    id,
    userMessage: { text: id },
    responseParts: [],
    toolCalls: [],
    state: 'complete',
    ...change,
  }) as unknown as Turn;
const failed = (id: string, change: object = {}) =>
  turn(id, { state: 'error', error: { errorType: 'authRequired', message: '' }, ...change });
const ids = (turns: readonly Turn[]) => turnsAwaitingLogin(turns).map(({ id }) => id);

describe('turns that are sent again after a log-in', () => {
  it.each([
    ['none', [], []],
    ['the last one', [turn('a'), failed('b')], ['b']],
    ['all that failed last', [turn('a'), failed('b'), failed('c')], ['b', 'c']],
    ['none before one that worked', [failed('a'), turn('b')], []],
    ['none that ran a tool, and none before it', [failed('a'), failed('b', { toolCalls: [{}] }), failed('c')], ['c']],
    ['none that the agent began', [failed('a', { origin: 'agent' })], []],
    ['none that failed otherwise', [turn('a', { error: { errorType: 'agentFailed', message: '' } })], []],
  ])('%s', (_, turns, wanted) => {
    expect(ids(turns)).toEqual(wanted);
  });

  it('are at most twenty', () => {
    expect(ids(Array.from({ length: 1_000 }, (_, n) => failed(String(n))))).toHaveLength(20);
  });
});
