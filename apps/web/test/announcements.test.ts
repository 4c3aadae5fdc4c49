import type { ActiveTurn, Turn } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { announcements } from '../src/conversation/thread/announcements.js';

const active = (content: string, more: Partial<ActiveTurn> = {}): ActiveTurn => ({
  id: 't',
  userMessage: { text: 'x' },
  responseParts: [{ kind: 'markdown', id: 'p', content }],
  toolCalls: {},
  pendingPermissions: {},
  startedAt: 0,
  ...more,
});
const said = (activeTurn: ActiveTurn) => announcements({ activeTurn, turns: [] }).map(({ text }) => text);

it('announces a paragraph when it is finished, not its words', () => {
  expect(said(active('The first'))).toEqual([]);
  expect(said(active('The first paragraph.'))).toEqual([]);
  expect(said(active('The first paragraph.\n\n'))).toEqual(['The first paragraph.']);
  expect(said(active('The first paragraph.\n\nThe sec'))).toEqual(['The first paragraph.']);
});

it('keeps one key per announcement while the text grows', () => {
  const text = '# Title\n\nSome *words* and `code`.\n\n```ts\nlet a;\n\nlet b;\n```\n\n- one\n- two\n\nThe end';
  const keys = new Map<string, string>();
  for (let end = 1; end <= text.length; end += 1) {
    for (const { key, text: told } of announcements({ activeTurn: active(text.slice(0, end)), turns: [] })) {
      expect(keys.get(key) ?? told).toBe(told);
      keys.set(key, told);
    }
  }
  expect([...keys.values()]).toEqual(['Title', 'Some words and code .', 'Code.', 'one two']);
});

it('announces the rest and the end when the turn is over', () => {
  const turn: Turn = { ...active('One.\n\nTwo.'), toolCalls: [], state: 'complete', startedAt: 0, endedAt: 1 };
  const texts = (turns: readonly Turn[]) => announcements({ turns }).map(({ text }) => text);
  expect(texts([turn])).toEqual(['One.', 'Two.', 'Done.']);
  expect(texts([{ ...turn, state: 'cancelled' }]).at(-1)).toBe('Stopped.');
  const error = { errorType: 'x', message: 'no quota' };
  expect(texts([{ ...turn, state: 'error', error }]).at(-1)).toBe('Failed: no quota');
});

it('announces questions and finished tools, not reasoning or running tools', () => {
  const base = { toolName: 'x', displayName: 'X', startedAt: 0 };
  const confirmed = { how: 'notNeeded' } as const;
  const turn = active('', {
    responseParts: [
      { kind: 'reasoning', id: 'r', content: 'Hm.\n\nWell.' },
      ...['a', 'b', 'c'].map((toolCallId) => ({ kind: 'toolCall', toolCallId }) as const),
    ],
    toolCalls: {
      a: {
        ...base,
        toolCallId: 'a',
        invocationMessage: 'Reading',
        status: 'completed',
        confirmed,
        result: { success: true, pastTenseMessage: 'Read `a.ts`' },
        endedAt: 1,
      },
      b: { ...base, toolCallId: 'b', invocationMessage: 'Searching', status: 'running', confirmed },
      c: {
        ...base,
        toolCallId: 'c',
        invocationMessage: 'Running',
        status: 'pendingConfirmation',
        confirmation: { title: 'Run `npm test`?' },
      },
    },
    pendingPermissions: { q: { requestId: 'q', kind: 'question', title: 'Which one?', message: '' } },
  });
  expect(said(turn)).toEqual(['Read a.ts', 'Needs your answer: Run npm test ?', 'Needs your answer: Which one?']);
});

it('cuts long announcements', () => {
  expect(said(active(`${'word '.repeat(1_000)}\n\n`))[0]?.length).toBeLessThan(620);
});
