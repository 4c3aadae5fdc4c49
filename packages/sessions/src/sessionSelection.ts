import type { Observable } from '@agenthost/client';
import { computed, observable } from './observable.js';
import type { AggregatedSessions } from './providers/aggregatedSessions.js';
import type { SessionsChangeEvent } from './providers/sessionsProvider.js';
import { type Chat, type Session, SessionStatus, type URI } from './session.js';

/** The session that the user looks at, with its active chat. */
export interface ActiveSession extends Session {
  readonly activeChat: Observable<Chat>;
}

interface SelectableSession {
  readonly session: Session;
  readonly active: ActiveSession;
  readonly chatUri: Observable<URI>;
  /** Only chats of the session; the caller has checked that. */
  select(chatUri: URI): void;
}

/** Which session is looked at, and which one is being begun. Follows both through replacement, change and removal. */
export class SessionSelection {
  readonly active: Observable<ActiveSession | undefined>;
  readonly #selected = observable<SelectableSession | undefined>(undefined);
  readonly #sessions: AggregatedSessions;
  readonly #following;
  #begunId: string | undefined;

  constructor(sessions: AggregatedSessions) {
    this.#sessions = sessions;
    this.active = computed(() => this.#selected.value?.active);
    this.#following = [
      sessions.onDidReplaceSession(({ from, to }) => this.follow(from.sessionId, to)),
      sessions.onDidChangeSessions((event) => this.#sessionsChanged(event)),
    ];
  }

  select(session: Session | undefined, chatUri?: URI): void {
    const selected = this.#selected.value;
    if (selected?.session === session && chatUri !== undefined) selected?.select(chatUri);
    else this.#selected.set(session && selectableSession(session, chatUri));
  }

  isSelected(sessionId: string): boolean {
    return this.#selected.value?.session.sessionId === sessionId;
  }

  /** The session whose form is being filled in, while that is so. */
  get begun(): Session | undefined {
    const session = this.#begunId === undefined ? undefined : this.#sessions.byId(this.#begunId);
    return session?.status.value === SessionStatus.Untitled ? session : undefined;
  }

  begin(session: Session | undefined): void {
    this.#begunId = session?.sessionId;
  }

  /** The session with that id is this one from now on. */
  follow(sessionId: string, to: Session): void {
    if (this.#begunId === sessionId) this.#begunId = to.sessionId;
    const selected = this.#selected.value;
    if (selected?.session.sessionId !== sessionId || selected.session === to) return;
    const isChatThere = to.chats.value.some(({ resource }) => resource === selected.chatUri.value);
    this.#selected.set(selectableSession(to, isChatThere ? selected.chatUri.value : undefined));
  }

  dispose(): void {
    for (const one of this.#following) one.dispose();
    this.#selected.set(undefined);
  }

  #sessionsChanged({ changed, removed }: SessionsChangeEvent): void {
    for (const session of changed) this.follow(session.sessionId, session);
    for (const { sessionId } of removed) {
      if (this.#begunId === sessionId) this.#begunId = undefined;
      if (this.isSelected(sessionId)) this.#selected.set(undefined);
    }
  }
}

/** Begins with the main chat, and comes back to it when the selected one is deleted. */
function selectableSession(session: Session, chatUri: URI = session.mainChat.resource): SelectableSession {
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
