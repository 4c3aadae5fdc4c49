import { expect, test } from 'vitest';
import { MAX_ANSWER_KEPT, MAX_ANSWERED_PERMISSIONS } from '../../src/limits.js';
import { createSessionState } from '../../src/reducers/createSessionState.js';
import { sessionReducer } from '../../src/reducers/sessionReducer.js';
import type { SessionAction } from '../../src/types/actions.js';

const session = 'mock:/s1';

function answered(count: number, text: string) {
  const questions = Array.from({ length: count }, (_, index): SessionAction[] => {
    const base = { session, turnId: 't1', at: index } as const;
    const request = { requestId: `q${index}`, kind: 'question', title: 'Which?', message: '' } as const;
    return [
      { type: 'session/permissionRequest', ...base, request },
      { type: 'session/permissionResolved', ...base, requestId: request.requestId, approved: true, text },
    ];
  });
  const actions: SessionAction[] = [
    { type: 'session/ready', session, at: 0 },
    { type: 'session/turnStarted', session, at: 0, turnId: 't1', userMessage: { text: 'hello' } },
    ...questions.flat(),
  ];
  const state = actions.reduce(
    sessionReducer,
    createSessionState({ resource: session, provider: 'mock', createdAt: 0 }),
  );
  return state.activeTurn?.answeredPermissions ?? [];
}

test('[PERM4] a turn remembers its newest answers, up to the limit', () => {
  const answers = answered(MAX_ANSWERED_PERMISSIONS + 3, 'main');
  expect([answers.length, answers[0]?.requestId, answers.at(-1)?.requestId]).toEqual([
    MAX_ANSWERED_PERMISSIONS,
    'q3',
    `q${MAX_ANSWERED_PERMISSIONS + 2}`,
  ]);
});

test('[PERM4] a long answer is cut, without half a character', () => {
  const [answer] = answered(1, `${'a'.repeat(MAX_ANSWER_KEPT - 1)}😀 and more`);
  expect(answer?.text).toBe('a'.repeat(MAX_ANSWER_KEPT - 1));
});
