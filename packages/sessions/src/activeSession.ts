import type { Observable } from '@agenthost/client';
import { computed, observable } from './observable.js';
import type { Chat, Session, URI } from './session.js';

/** The session that somebody looks at, and which of its chats. */
export interface ActiveSession extends Session {
  readonly activeChat: Observable<Chat>;
}

export interface SelectableSession {
  readonly session: Session;
  readonly active: ActiveSession;
  readonly chatUri: Observable<URI>;
  /** Only chats of the session; whoever calls has checked that. */
  select(chatUri: URI): void;
}

/** Begins with the main chat, and comes back to it when the selected one is deleted. */
export function selectableSession(session: Session, chatUri: URI = session.mainChat.resource): SelectableSession {
  const selected = observable(chatUri);
  const activeChat = computed(
    () => session.chats.value.find(({ resource }) => resource === selected.value) ?? session.mainChat,
  );
  // Fields of a session may be getters of its class, so each one is asked for when it is needed.
  const active = new Proxy(session, {
    get: (target, key) => (key === 'activeChat' ? activeChat : Reflect.get(target, key, target)),
    has: (target, key) => key === 'activeChat' || Reflect.has(target, key),
  }) as ActiveSession;
  return { session, active, chatUri: selected, select: (uri) => selected.set(uri) };
}
