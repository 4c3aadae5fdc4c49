import { parseSessionId, type Session } from '@agenthost/sessions';
import { useEffect, useReducer } from 'react';
import type { Route } from './route.js';
import { goTo } from './route.js';
import { useServices } from './services.js';

export interface RoutedSession {
  readonly session: Session | undefined;
  readonly chat: string | undefined;
  /** The lists have come, and it is in none of them. */
  readonly isMissing: boolean;
}

/** The session that the address names, as soon as a host tells of it; followed when it is replaced by its committed one. */
export function useRoutedSession(route: Route): RoutedSession {
  const { management, hosts } = useServices();
  const [, changed] = useReducer((count: number) => count + 1, 0);
  const sessionId = route.view === 'session' ? route.sessionId : undefined;
  useEffect(() => {
    if (sessionId === undefined) return;
    const following = management.onDidChangeSessions(({ added, removed, changed: updated }) => {
      if ([...added, ...removed, ...updated].some((session) => session.sessionId === sessionId)) changed();
    });
    return () => following.dispose();
  }, [management, sessionId]);
  const session = sessionId === undefined ? undefined : find(sessionId);
  useEffect(() => {
    if (session) void management.openSession(session.resource).catch(() => undefined);
  }, [management, session]);
  useEffect(() => {
    if (sessionId === undefined || session) return;
    // Older than what was listed first: ask for it by name.
    const { providerId, localId } = safeParse(sessionId);
    const provider = hosts.byId(providerId)?.provider;
    provider?.findSession(localId).then(changed, () => changed());
  }, [hosts, session, sessionId]);
  const chat =
    route.view === 'session' && session?.chats.value.some(({ resource }) => resource === route.chat)
      ? route.chat
      : undefined;
  const provider = sessionId === undefined ? undefined : hosts.byId(safeParse(sessionId).providerId)?.provider;
  const isMissing =
    sessionId !== undefined &&
    !session &&
    (provider === undefined ||
      (!provider.isLoadingSessions.value && provider.status.connection.value.state === 'connected'));
  return { session, chat, isMissing };

  function find(id: string): Session | undefined {
    try {
      return management.getSessionById(id);
    } catch {
      goTo({ view: 'start' }, { replace: true });
      return undefined;
    }
  }
}

function safeParse(sessionId: string): { providerId: string; localId: string } {
  try {
    return parseSessionId(sessionId);
  } catch {
    return { providerId: '', localId: '' };
  }
}
