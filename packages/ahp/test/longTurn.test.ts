import type { ActiveTurn, Turn } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { activeTurnOf, turnOf } from '../src/translate/turns.js';

const part = { kind: 'markdown', id: 'p', content: 'the newest' } as const;
const turn: Turn = {
  id: 't',
  userMessage: { text: 'go' },
  responseParts: [part],
  toolCalls: [],
  state: 'complete',
  startedAt: 1,
  endedAt: 2,
};
const running: ActiveTurn = {
  id: 't',
  userMessage: { text: 'go' },
  responseParts: [part],
  toolCalls: {},
  pendingPermissions: {},
  startedAt: 1,
};
const told = {
  kind: 'systemNotification',
  content: '1,200 earlier steps of this turn are not shown. "agenthost log" shows them.',
};

it('tells AHP clients how many steps of a long turn are missing', () => {
  for (const shown of [turnOf({ ...turn, earlierParts: 1_200 }), activeTurnOf({ ...running, earlierParts: 1_200 })]) {
    expect(shown.responseParts).toMatchObject([told, part]);
  }
  for (const shown of [turnOf(turn), activeTurnOf(running)]) expect(shown.responseParts).toEqual([part]);
});
