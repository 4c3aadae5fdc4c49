import { createSessionState, type SessionAction, type SessionState, sessionReducer } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { SessionEffects } from '../../src/sessions/sessionEffects.js';

const session = 'mock:/s';
const started: SessionAction = {
  type: 'session/turnStarted',
  session,
  at: 2,
  turnId: 't1',
  userMessage: { text: 'first' },
};

/** Notes which part is told of a change, in which order. */
function setUp({ isProvisional = false } = {}) {
  const calls: string[] = [];
  const note = (name: string) => () => void calls.push(name);
  const created = createSessionState({ resource: session, provider: 'mock', createdAt: 1 });
  const ready = sessionReducer(created, { type: 'session/ready', session, at: 1 });
  const store = { uri: session, state: ready };
  const provisional = new Set(isProvisional ? [session] : []);
  const parts = {
    store,
    history: { changed: note('history') },
    workspaceYaml: { summaryChanged: note('workspace.yaml') },
  };
  const index = {
    put: note('index: summary'),
    flush: note('index: flush'),
    putTurn: note('index: turn'),
    forgetTurn: note('index: forget turn'),
  };
  const effects = new SessionEffects(
    { react: note('reaction'), storageFailed: note('storage failed') } as never,
    parts as never,
    { index } as never,
    { provisional, changed: note('clients: changed'), added: note('clients: added') } as never,
  );
  const change = (action: SessionAction): SessionState => {
    const before = store.state;
    store.state = sessionReducer(before, action);
    effects.afterChange(action, before);
    return before;
  };
  return { calls, change, effects, store, provisional };
}

describe('SessionEffects', () => {
  it('updates index, clients, workspace.yaml and history, in this order, before the session reacts', () => {
    const { calls, change } = setUp();
    change(started);
    expect(calls).toEqual([
      'index: summary',
      'clients: changed',
      'workspace.yaml',
      'index: turn',
      'history',
      'reaction',
    ]);
  });

  it('leaves the summary alone when it did not change', () => {
    const { calls, change } = setUp();
    change(started);
    calls.length = 0;
    change({
      type: 'session/responsePart',
      session,
      at: 2,
      turnId: 't1',
      part: { kind: 'markdown', id: 'p', content: '' },
    });
    expect(calls).toEqual(['history', 'reaction']);
  });

  it('announces a provisional session with its first message, and not before', () => {
    const { calls, change, provisional } = setUp({ isProvisional: true });
    change({ type: 'session/titleChanged', session, at: 2, title: 'Draft' });
    expect(calls).toEqual(['workspace.yaml', 'history', 'reaction']);
    calls.length = 0;
    change({ type: 'session/pendingMessageSet', session, at: 3, kind: 'queued', id: 'm', userMessage: { text: 'hi' } });
    expect(calls.slice(0, 3)).toEqual(['index: summary', 'index: flush', 'clients: added']);
    expect(provisional.size).toBe(0);
  });

  it('forgets the turns that could not be stored, then reports the failure', () => {
    const { calls, change, effects, store } = setUp();
    const before = change(started);
    const undone = store.state;
    calls.length = 0;
    store.state = before;
    effects.afterTakeBack(new Error('disk full'), undone);
    expect(calls).toEqual([
      'index: summary',
      'clients: changed',
      'workspace.yaml',
      'index: forget turn',
      'storage failed',
    ]);
  });
});
