import { type SessionAction, type SessionState, sessionReducer } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { newSession, OPENING, SESSION } from '../../../protocol/test/reducers/arbitraryActions.js';
import { DroppedText, searchText } from '../../src/sessionIndex/searchText.js';

const turn = { session: SESSION, at: 1, turnId: 't1' };

function play(notices: number, dropped: DroppedText, state: SessionState): SessionState {
  const opened = OPENING.reduce(sessionReducer, state);
  const actions = Array.from({ length: notices }, (_, n): SessionAction[] => {
    const toolCallId = `call-${n}`;
    const shown = { toolCallId, toolName: 'x', displayName: 'x', invocationMessage: `Doing deed${n}` };
    const result = { success: true, pastTenseMessage: 'x', toolOutput: `printed${n}` };
    return [
      {
        ...turn,
        type: 'session/responsePart',
        part: { kind: 'notice', id: `n${n}`, text: `word${n}`, severity: 'info' },
      },
      { ...turn, type: 'session/toolStart', toolCall: { ...shown, status: 'running', confirmed: { how: 'policy' } } },
      { ...turn, type: 'session/toolComplete', toolCallId, result },
    ];
  }).flat();
  return [...actions, { ...turn, type: 'session/turnComplete' } as const].reduce((before, action) => {
    const after = sessionReducer(before, action);
    dropped.follow(after);
    return after;
  }, opened);
}

it('finds text of parts that a turn no longer holds', () => {
  const dropped = new DroppedText();
  const [ended] = play(400, dropped, newSession()).turns.slice(-1);
  if (!ended) throw new Error('no turn has ended');
  expect(ended.earlierParts).toBeGreaterThan(500);
  expect(dropped.hasAll(ended)).toBe(true);
  expect(new DroppedText().hasAll(ended)).toBe(false);
  const text = searchText(ended, dropped.of(ended.id));
  for (const n of [0, 1, 77, 200, 399]) {
    expect(text).toMatch(new RegExp(`\\bword${n}\\b`));
    expect(text).toMatch(new RegExp(`\\bdeed${n}\\b`));
    expect(text).toMatch(new RegExp(`\\bprinted${n}\\b`));
  }
  expect(searchText(ended)).not.toContain('word77\n');
});

it('keeps only the head and the tail of long text', () => {
  const dropped = new DroppedText();
  const [ended] = play(20_000, dropped, newSession()).turns.slice(-1);
  const text = searchText(ended ?? expect.fail(), dropped.of('t1'));
  expect(text).toMatch(/\bword0\b/);
  expect(text).toMatch(/\bword19999\b/);
  expect(text.length).toBeLessThan(70_000);
  expect(JSON.stringify(dropped.of('t1')).length).toBeLessThan(250_000);
});
