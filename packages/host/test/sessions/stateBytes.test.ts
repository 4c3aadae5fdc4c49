import { createSessionState, type SessionAction, type SessionState, sessionReducer } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { StateBytes } from '../../src/sessions/stateBytes.js';

const SESSION = 'mock:/one';
const TURN = { session: SESSION, turnId: 't1', at: 1 };
const MIB = 1024 * 1024;

describe('the bytes of a loaded session', () => {
  /** What is counted after these actions, which a session of its own takes one after the other. */
  function countedAfter(actions: Iterable<SessionAction>): { readonly kept: number; readonly state: SessionState } {
    let state: SessionState = createSessionState({ resource: SESSION, provider: 'mock', createdAt: 1 });
    const bytes = new StateBytes(state);
    for (const action of actions) {
      const before = state;
      state = sessionReducer(state, action);
      bytes.changed(before, state, JSON.stringify(action).length);
    }
    return { kept: bytes.total, state };
  }

  function* printing(lines: number): Generator<SessionAction> {
    yield { type: 'session/ready', session: SESSION, at: 1 };
    yield { ...TURN, type: 'session/turnStarted', userMessage: { text: 'go' } };
    const call = { toolCallId: 'c', toolName: 'sh', displayName: 'Shell', invocationMessage: 'Runs' };
    const toolCall = { ...call, status: 'running', confirmed: { how: 'notNeeded' } } as const;
    yield { ...TURN, type: 'session/toolStart', toolCall };
    const output = `${'x'.repeat(65_535)}\n`;
    for (let n = 0; n < lines; n++) yield { ...TURN, type: 'session/toolUpdate', toolCallId: 'c', output };
  }

  it('do not count output that the state does not hold', () => {
    const { kept } = countedAfter(printing(2_000));
    expect(kept).toBeLessThan(MIB);
  });

  it('are at least what the state holds, whatever came before', () => {
    for (const lines of [1, 7, 100, 1_000]) {
      const { kept, state } = countedAfter(printing(lines));
      expect(kept).toBeGreaterThanOrEqual(JSON.stringify(state.activeTurn).length * 0.9);
      const ended = sessionReducer(state, { ...TURN, type: 'session/turnComplete' });
      expect(new StateBytes(ended).total).toBeGreaterThanOrEqual(JSON.stringify(ended.turns).length);
    }
  });
});
