import type { Disposable, Observable } from '@agenthost/client';
import type { SessionsSource } from '../list/sessionsListModel.js';
import { computed, observable, sameItems } from '../observable.js';
import { type Chat, type Session, SessionStatus, type URI } from '../session.js';
import type { SessionsChangeEvent } from '../sessionsProvider.js';
import type { SessionsProvidersService } from '../sessionsProvidersService.js';
import { AgentHostProvider } from './agentHostProvider.js';
import type { ChatModel } from './chatModel.js';

/** A chat that waits for somebody, opened: its `confirmations` and `permissions` can be answered. */
export interface WaitingChat {
  readonly session: Session;
  readonly chat: Chat;
  readonly model: ChatModel;
}

/** So many are open at once; the others come up as those are answered. */
const MAX_OPEN = 20;

/**
 * What needs somebody, over all sessions of all hosts, the newest first. Opens the chats that wait, and no others, for as
 * long as they do.
 */
export class NeedsInput {
  readonly waiting: Observable<readonly WaitingChat[]>;
  /** Also those that are not open. For a badge. */
  readonly count: Observable<number>;
  readonly #providers: SessionsProvidersService;
  readonly #sessions = new Map<string, Session>();
  readonly #open = new Map<URI, WaitingChat>();
  readonly #waiting = observable<readonly WaitingChat[]>([]);
  readonly #count = observable(0);
  readonly #following: Disposable;

  constructor(providers: SessionsProvidersService, source: SessionsSource) {
    this.#providers = providers;
    this.waiting = computed(() => this.#waiting.value, sameItems);
    this.count = this.#count;
    this.#following = source.onDidChangeSessions((event) => this.#changed(event));
    this.#changed({ added: source.getSessions(), removed: [], changed: [] });
  }

  dispose(): void {
    this.#following.dispose();
    for (const { model } of this.#open.values()) model.dispose();
    this.#open.clear();
    this.#waiting.set([]);
  }

  #changed({ added, removed, changed }: SessionsChangeEvent): void {
    const before = this.#sessions.size;
    let isTouched = false;
    for (const { sessionId } of removed) isTouched = this.#sessions.delete(sessionId) || isTouched;
    for (const list of [added, changed]) {
      for (const session of list) {
        const isWaiting = session.status.value === SessionStatus.NeedsInput;
        isTouched ||= isWaiting || this.#sessions.has(session.sessionId);
        if (isWaiting) this.#sessions.set(session.sessionId, session);
        else this.#sessions.delete(session.sessionId);
      }
    }
    if (isTouched || before !== this.#sessions.size) this.#update();
  }

  #update(): void {
    const chats = [...this.#sessions.values()].flatMap((session) =>
      session.chats.value
        .filter(({ status }) => status.value === SessionStatus.NeedsInput)
        .map((chat) => ({ session, chat })),
    );
    const wanted = chats
      .toSorted((a, b) => b.chat.updatedAt.value.getTime() - a.chat.updatedAt.value.getTime())
      .slice(0, MAX_OPEN);
    const resources = new Set(wanted.map(({ chat }) => chat.resource));
    for (const [resource, { model }] of this.#open) {
      if (resources.has(resource)) continue;
      model.dispose();
      this.#open.delete(resource);
    }
    this.#count.set(chats.length);
    this.#waiting.set(wanted.flatMap(({ session, chat }) => this.#opened(session, chat) ?? []));
  }

  #opened(session: Session, chat: Chat): WaitingChat | undefined {
    const known = this.#open.get(chat.resource);
    if (known?.session === session && known.chat === chat) return known;
    const provider = this.#providers.getProvider(session.providerId);
    // Other providers have no prompts that this layer could show.
    if (!(provider instanceof AgentHostProvider)) return undefined;
    const opened = { session, chat, model: known?.model ?? provider.openChat(chat.resource) };
    this.#open.set(chat.resource, opened);
    return opened;
  }
}
