import { parseSessionId, type Session } from '@agenthost/sessions';
import { useEffect, useReducer, useRef } from 'react';
import type { PageHost } from './pageHosts.js';
import type { Route } from './route.js';
import { goTo } from './route.js';
import { useServices } from './services.js';

export interface RoutedSession {
  readonly session: Session | undefined;
  readonly chat: string | undefined;
  /** Whose it is, by its name. */
  readonly host: PageHost | undefined;
  /** The chat that the address names, while nothing is known of it. */
  readonly awaited: string | undefined;
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
  const listed = sessionId === undefined ? undefined : find(sessionId);
  // One that somebody deletes while it is looked at stays in view, with what was written for it.
  const last = useRef<Session>(undefined);
  const session = listed ?? (last.current?.sessionId === sessionId ? last.current : undefined);
  useEffect(() => {
    last.current = session;
  }, [session]);
  useEffect(() => {
    if (listed) void management.openSession(listed.resource).catch(() => undefined);
  }, [management, listed]);
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
  const host = sessionId === undefined ? undefined : hosts.byId(safeParse(sessionId).providerId);
  const provider = host?.provider;
  const isMissing =
    sessionId !== undefined &&
    !session &&
    (provider === undefined ||
      (!provider.isLoadingSessions.value && provider.status.connection.value.state === 'connected'));
  const awaited = route.view === 'session' && !session ? (route.chat ?? sessionId) : undefined;
  return { session, chat, host, awaited, isMissing };

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
