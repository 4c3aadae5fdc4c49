import { SESSION_ACTION_TABLE } from '../tables/actionTable.js';
import type { SessionAction } from '../types/actions.js';
import type { SessionState } from '../types/sessionState.js';

type Reduce = (state: SessionState, action: SessionAction) => SessionState;

/**
 * Contract: pure; never throws; never changes its input; an action that does not apply returns the same reference, so
 * does one for another session or of an unknown type. The host and every client run this same code.
 *
 * @example
 * ```ts
 * const session = sessionUri('shell', 's1');
 * let state = createSessionState({ resource: session, provider: 'shell', createdAt: Date.now() });
 * state = sessionReducer(state, { type: 'session/ready', session, at: Date.now() });
 * ```
 */
export function sessionReducer(state: SessionState, action: SessionAction): SessionState {
  if (action.session !== state.summary.resource) return state;
  if (!Object.hasOwn(SESSION_ACTION_TABLE, action.type)) return state;
  const { reduce } = SESSION_ACTION_TABLE[action.type];
  return (reduce as Reduce)(state, action);
}
