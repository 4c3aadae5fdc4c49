import { parseSessionId, type Session } from '@agenthost/sessions';
import { useEffect, useLayoutEffect, useReducer, useRef } from 'react';
import { asHost, type PagePlace } from './pagePlace.js';
import type { Route } from './route.js';
import { goTo } from './route.js';
import { useServices } from './services.js';
import { useObservable } from './useObservable.js';

export interface RoutedSession {
  readonly session: Session | undefined;
  readonly chat: string | undefined;
  /** The place that it belongs to, by the name in the address. */
  readonly place: PagePlace | undefined;
  /** The chat in the address, while nothing is known of it. */
  readonly awaited: string | undefined;
  /** The lists have loaded, and it is in none of them. */
  readonly isMissing: boolean;
}

/** The session in the address, as soon as its provider lists it; follows it when it is replaced by the committed one. */
export function useRoutedSession(route: Route): RoutedSession {
  const { management, places } = useServices();
  useObservable(places.all);
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
  // A session that is deleted while it is open stays in view, with the text that was written for it.
  const last = useRef<Session>(undefined);
  const session = listed ?? (last.current?.sessionId === sessionId ? last.current : undefined);
  useEffect(() => {
    last.current = session;
  }, [session]);
  const wanted = route.view === 'session' ? route.chat : undefined;
  const chat = session?.chats.value.some(({ resource }) => resource === wanted) ? wanted : undefined;
  // Before painting: what depends on the active session must not show the previous one.
  useLayoutEffect(() => {
    if (listed)
      void management.openSession(listed.resource, chat === undefined ? {} : { chatUri: chat }).catch(() => {});
    else if (sessionId === undefined) management.openNewSessionView();
  }, [management, listed, chat, sessionId]);
  useEffect(() => {
    // Older than the first page of the list: asks for it by name.
    if (sessionId !== undefined && !session) management.findSession(sessionId).then(changed, () => changed());
  }, [management, session, sessionId]);
  const place = sessionId === undefined ? undefined : places.byId(providerOf(sessionId));
  const isConnected = (asHost(place)?.connection.value.state ?? 'connected') === 'connected';
  const isListed = place?.provider.isLoadingSessions?.value !== true && isConnected;
  const isMissing = sessionId !== undefined && !session && (place === undefined || isListed);
  const awaited = route.view === 'session' && !session ? (route.chat ?? sessionId) : undefined;
  return { session, chat, place, awaited, isMissing };

  function find(id: string): Session | undefined {
    try {
      return management.getSessionById(id);
    } catch {
      goTo({ view: 'start' }, { replace: true });
      return undefined;
    }
  }
}

function providerOf(sessionId: string): string {
  try {
    return parseSessionId(sessionId).providerId;
  } catch {
    return '';
  }
}
