import type { Disposable, Observable } from '@agenthost/client';
import type { ChatModel } from '../chat/chatModel.js';
import type { SessionsSource } from '../list/sessionsListModel.js';
import { computed, observable, sameItems } from '../observable.js';
import type { SessionsChangeEvent } from '../providers/sessionsProvider.js';
import type { SessionsProvidersService } from '../providers/sessionsProvidersService.js';
import { type Chat, type Session, SessionStatus, type URI } from '../session.js';
import { type AnsweredPrompt, AnsweredPrompts } from './answeredPrompts.js';

/** An open chat that waits for input: its `confirmations` and `permissions` can be answered. */
export interface WaitingChat {
  readonly session: Session;
  readonly chat: Chat;
  readonly model: ChatModel;
}

interface OpenChat extends WaitingChat {
  /** To be closed when its last answer has come. */
  isLeaving: boolean;
  readonly following: Disposable;
}

/** Chats that are open at once; the others follow as these are answered. */
const MAX_OPEN = 20;

/**
 * The chats that wait for input, over all sessions of all hosts, the newest first. Opens the chats that wait, and no others, for as
 * long as they wait.
 *
 * @example
 * ```ts
 * const tray = new NeedsInput(providers, sessions);
 * tray.waiting.subscribe((waiting) => console.log(waiting.map(({ chat }) => chat.title.value)));
 * tray.dispose();
 * ```
 */
export class NeedsInput {
  readonly waiting: Observable<readonly WaitingChat[]>;
  /** Also those that are not open. For a badge. */
  readonly count: Observable<number>;
  /** What was answered since this object was created, by any client, the newest first. */
  readonly answered: Observable<readonly AnsweredPrompt[]>;
  readonly #providers: SessionsProvidersService;
  readonly #sessions = new Map<string, Session>();
  readonly #open = new Map<URI, OpenChat>();
  readonly #prompts = new AnsweredPrompts();
  readonly #waiting = observable<readonly WaitingChat[]>([]);
  readonly #count = observable(0);
  readonly #following: Disposable;

  constructor(providers: SessionsProvidersService, source: SessionsSource) {
    this.#providers = providers;
    this.waiting = computed(() => this.#waiting.value, sameItems);
    this.count = this.#count;
    this.answered = this.#prompts.value;
    this.#following = source.onDidChangeSessions((event) => this.#changed(event));
    this.#changed({ added: source.getSessions(), removed: [], changed: [] });
  }

  dispose(): void {
    this.#following.dispose();
    for (const resource of [...this.#open.keys()]) this.#close(resource);
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
    for (const [resource, open] of [...this.#open]) {
      if (resources.has(resource)) continue;
      // The list may say that nothing waits before the chat itself has said who answered.
      if (!open.isLeaving && this.#isWaiting(open)) open.isLeaving = true;
      else if (!open.isLeaving || this.#open.size > 2 * MAX_OPEN) this.#close(resource);
    }
    this.#count.set(chats.length);
    this.#waiting.set(wanted.flatMap(({ session, chat }) => this.#opened(session, chat) ?? []));
  }

  #opened(session: Session, chat: Chat): WaitingChat | undefined {
    const known = this.#open.get(chat.resource);
    if (known?.session === session && known.chat === chat) {
      known.isLeaving = false;
      return known;
    }
    const provider = this.#providers.getProvider(session.providerId);
    // Without conversations there is nothing to answer in.
    if (!provider?.openChat) return undefined;
    known?.following.dispose();
    const model = known?.model ?? provider.openChat(chat.resource);
    const following = model.confirmed.subscribe(() => {
      const open = this.#open.get(chat.resource);
      if (open && !this.#isWaiting(open) && open.isLeaving) this.#close(chat.resource);
    });
    const opened: OpenChat = { session, chat, model, isLeaving: false, following };
    this.#open.set(chat.resource, opened);
    this.#isWaiting(opened);
    return opened;
  }

  /** As far as the host has said; takes note of the answers on the way. */
  #isWaiting({ session, chat, model }: WaitingChat): boolean {
    const state = model.confirmed.value;
    return state !== undefined && model.phase.value.state === 'open' && this.#prompts.update(session, chat, state);
  }

  #close(resource: URI): void {
    const open = this.#open.get(resource);
    if (!open) return;
    this.#open.delete(resource);
    this.#prompts.forget(open.chat);
    open.following.dispose();
    open.model.dispose();
  }
}
