import type { SessionState, SessionSummary } from '../types/sessionState.js';

export type NewSession = Pick<SessionSummary, 'resource' | 'provider' | 'createdAt'> &
  Partial<Pick<SessionSummary, 'title' | 'model' | 'workingDirectory' | 'metadata'>>;

/**
 * A session as it is right after `createSession`: being created, with nothing said yet. A title that it begins with is a user's.
 *
 * @example
 * ```ts
 * const state = createSessionState({ resource: 'shell:/s1', provider: 'shell', createdAt: Date.now() });
 * ```
 */
export function createSessionState(session: NewSession): SessionState {
  return {
    summary: {
      title: '',
      ...session,
      modifiedAt: session.createdAt,
      status: 'idle',
      isRead: true,
      isArchived: false,
      isCreating: true,
    },
    lifecycle: 'creating',
    ...(session.title && { titleByUser: true }),
    turns: [],
  };
}
