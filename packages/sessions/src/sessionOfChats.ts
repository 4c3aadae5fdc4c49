import type { Observable } from '@agenthost/client';
import type { Several } from '@agenthost/protocol';
import { computed, constant, sameDate } from './observable.js';
import {
  type Chat,
  type GitHubInfo,
  type IconId,
  type Session,
  type SessionCapabilities,
  type SessionFileChange,
  type SessionMode,
  SessionStatus,
  type SessionWorkspace,
  type URI,
} from './session.js';
import { sessionIdOf } from './sessionId.js';

export interface SessionOfChatsOptions {
  readonly providerId: string;
  readonly localId: string;
  readonly resource: URI;
  readonly sessionType: string;
  readonly icon: IconId;
  readonly createdAt: Date;
  readonly capabilities?: SessionCapabilities;
  /** Never empty; the main one first. */
  readonly chats: Observable<readonly Chat[]>;
  readonly workspace?: Observable<SessionWorkspace | undefined>;
  readonly gitHubInfo?: Observable<GitHubInfo | undefined>;
  readonly loading?: Observable<boolean>;
  readonly several?: Observable<Several | undefined>;
}

/**
 * Makes a session whose fields come from its chats. For providers; this is the only place that says which field comes from which
 * chat.
 *
 * @example
 * ```ts
 * const session = sessionOfChats({
 *   providerId: 'notes',
 *   localId: '1',
 *   resource: chat.resource,
 *   sessionType: 'notes',
 *   icon: 'note',
 *   createdAt: new Date(),
 *   chats: observable([chat]),
 * });
 * ```
 */
export function sessionOfChats(options: SessionOfChatsOptions): Session {
  return new SessionOfChats(options);
}

/** Creates fields on first use: most of 10,000 sessions are never shown. */
class SessionOfChats implements Session {
  readonly sessionId: string;
  readonly #options: SessionOfChatsOptions;
  #fields: Partial<Record<keyof Session, Observable<unknown>>> = {};

  constructor(options: SessionOfChatsOptions) {
    this.#options = options;
    this.sessionId = sessionIdOf(options.providerId, options.localId);
  }

  get providerId(): string {
    return this.#options.providerId;
  }

  get resource(): URI {
    return this.#options.resource;
  }

  get sessionType(): string {
    return this.#options.sessionType;
  }

  get icon(): IconId {
    return this.#options.icon;
  }

  get createdAt(): Date {
    return this.#options.createdAt;
  }

  get capabilities(): SessionCapabilities {
    return this.#options.capabilities ?? SINGLE_CHAT;
  }

  get chats(): Observable<readonly Chat[]> {
    return this.#options.chats;
  }

  get mainChat(): Chat {
    const [main] = this.#options.chats.value;
    if (!main) throw new Error(`the session ${this.sessionId} has no chat: its provider must remove it instead`);
    return main;
  }

  get workspace(): Observable<SessionWorkspace | undefined> {
    return this.#options.workspace ?? NOTHING;
  }

  get gitHubInfo(): Observable<GitHubInfo | undefined> {
    return this.#options.gitHubInfo ?? NOTHING;
  }

  get several(): Observable<Several | undefined> {
    return this.#options.several ?? NOTHING;
  }

  get loading(): Observable<boolean> {
    return this.#options.loading ?? FALSE;
  }

  get title(): Observable<string> {
    return this.#ofMain('title');
  }

  get changes(): Observable<readonly SessionFileChange[]> {
    return this.#ofMain('changes');
  }

  get modelId(): Observable<string | undefined> {
    return this.#ofMain('modelId');
  }

  get mode(): Observable<SessionMode | undefined> {
    return this.#ofMain('mode');
  }

  get isArchived(): Observable<boolean> {
    return this.#ofMain('isArchived');
  }

  get description(): Observable<string | undefined> {
    return this.#ofMain('description');
  }

  get updatedAt(): Observable<Date> {
    return this.#field(
      'updatedAt',
      () => {
        const times = this.chats.value.map((chat) => chat.updatedAt.value);
        return latest(times) ?? this.createdAt;
      },
      sameDate,
    );
  }

  get lastTurnEnd(): Observable<Date | undefined> {
    return this.#field(
      'lastTurnEnd',
      () => latest(this.chats.value.flatMap((chat) => chat.lastTurnEnd.value ?? [])),
      sameDate,
    );
  }

  get isRead(): Observable<boolean> {
    return this.#field('isRead', () => this.chats.value.every((chat) => chat.isRead.value));
  }

  get status(): Observable<SessionStatus> {
    return this.#field('status', () => {
      const all = this.chats.value.map((chat) => chat.status.value);
      if (all.includes(SessionStatus.NeedsInput)) return SessionStatus.NeedsInput;
      if (all.includes(SessionStatus.InProgress)) return SessionStatus.InProgress;
      return this.mainChat.status.value;
    });
  }

  #ofMain<K extends 'title' | 'changes' | 'modelId' | 'mode' | 'isArchived' | 'description'>(key: K): Session[K] {
    return this.#field<unknown>(key, () => this.mainChat[key].value) as Session[K];
  }

  #field<T>(key: keyof Session, compute: () => T, same?: (a: T, b: T) => boolean): Observable<T> {
    const field = this.#fields[key] ?? computed(compute, same);
    this.#fields[key] = field;
    return field as Observable<T>;
  }
}

const SINGLE_CHAT: SessionCapabilities = { supportsMultipleChats: false };
const NOTHING = constant(undefined);
const FALSE = constant(false);

function latest(dates: readonly Date[]): Date | undefined {
  return dates.reduce<Date | undefined>((newest, date) => (newest && newest >= date ? newest : date), undefined);
}
