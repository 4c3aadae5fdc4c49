import type { SessionAction } from '@agenthost/protocol';

type WithoutStamps<A> = A extends SessionAction ? Omit<A, 'session' | 'at'> : never;

/** The action for an agent's event; the session adds `session` and `at`. */
export type AgentAction = WithoutStamps<
  Extract<
    SessionAction,
    {
      type:
        | 'session/responsePart'
        | 'session/delta'
        | 'session/reasoning'
        | 'session/toolStart'
        | 'session/toolUpdate'
        | 'session/toolComplete'
        | 'session/permissionRequest'
        | 'session/permissionResolved'
        | 'session/usage'
        | 'session/titleChanged'
        | 'session/modeChanged'
        | 'session/activityChanged'
        | 'session/changesChanged'
        | 'session/turnComplete'
        | 'session/error';
    }
  >
>;
