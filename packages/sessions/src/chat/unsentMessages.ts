import type { Observable } from '@agenthost/client';
import type { UserMessage } from '@agenthost/protocol';
import { computed, observable, sameItems } from '../observable.js';
import type { URI } from '../session.js';
import { parseSessionId } from '../sessionId.js';
import { memoryStorage, readItem, type SessionsStorage, writeItem } from '../sessionsStorage.js';
import type { ChatModel } from './chatModel.js';

/** `edit`: in place of the queued message with that id. */
export type UnsentKind = 'send' | 'steer' | 'edit';

export interface UnsentMessage {
  /** Of the chat that it is for. */
  readonly resource: string;
  /** The host takes a message with the same id once, however often it is sent. */
  readonly id: string;
  readonly kind: UnsentKind;
  readonly message: UserMessage;
}

const KEY = 'agenthost.sessions.unsent';
const MAX_MESSAGES = 100;
/** Long after its answer no other page has a message of ours left to write back. */
const MAX_KNOWN = 1_000;
/** Storages of browsers hold about five million characters; more than this is remembered while the page is open, and no longer. */
const MAX_STORED = 2_000_000;

/**
 * Messages that were sent and not acknowledged. They outlive the page where the storage does. A message is removed when the host has
 * answered, whatever the answer was.
 *
 * @example
 * ```ts
 * const unsent = new UnsentMessages(localStorage);
 * const provider = new AgentHostProvider(host, { unsent });
 * ```
 */
export class UnsentMessages {
  readonly #storage: SessionsStorage;
  readonly #messages: Map<string, UnsentMessage>;
  /** Also those that are gone: what else is in the storage is another page's. */
  readonly #known = new Set<string>();
  readonly #changes = observable(0);

  constructor(storage: SessionsStorage = memoryStorage()) {
    this.#storage = storage;
    this.#messages = new Map(parse(readItem(storage, KEY)).map((one) => [one.id, one]));
    for (const id of this.#messages.keys()) this.#know(id);
  }

  has(id: string): boolean {
    return this.#messages.has(id);
  }

  all(): readonly UnsentMessage[] {
    return [...this.#messages.values()];
  }

  /** Of one chat, the oldest first. */
  of(resource: string): Observable<readonly UnsentMessage[]> {
    return computed(() => {
      void this.#changes.value;
      return this.all().filter((one) => one.resource === resource);
    }, sameItems);
  }

  /** `false` when there are so many that this one is not remembered. */
  add(message: UnsentMessage): boolean {
    if (!this.#messages.has(message.id) && this.#messages.size >= MAX_MESSAGES) return false;
    this.#messages.set(message.id, message);
    this.#know(message.id);
    this.#changed();
    return true;
  }

  remove(id: string): void {
    if (this.#messages.delete(id)) this.#changed();
  }

  #know(id: string): void {
    this.#known.add(id);
    const [oldest = ''] = this.#known;
    if (this.#known.size > MAX_KNOWN && !this.#messages.has(oldest)) this.#known.delete(oldest);
  }

  #changed(): void {
    const others = parse(readItem(this.#storage, KEY)).filter(({ id }) => !this.#known.has(id));
    let room = MAX_STORED;
    const stored = [...others, ...this.#messages.values()].filter((one) => {
      room -= JSON.stringify(one).length;
      return room >= 0;
    });
    writeItem(this.#storage, KEY, stored.length > 0 ? JSON.stringify(stored.slice(0, MAX_MESSAGES)) : undefined);
    this.#changes.set(this.#changes.value + 1);
  }
}

function parse(text: string | undefined): UnsentMessage[] {
  try {
    const entries: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(entries) ? entries.filter(isUnsent).slice(0, MAX_MESSAGES) : [];
  } catch {
    return [];
  }
}

/** Ignores what another version or another program has stored there. */
function isUnsent(value: unknown): value is UnsentMessage {
  const { resource, id, kind, message } = (value ?? {}) as Partial<UnsentMessage>;
  return (
    isResource(resource) &&
    typeof id === 'string' &&
    (kind === 'send' || kind === 'steer' || kind === 'edit') &&
    typeof message?.text === 'string'
  );
}

function isResource(value: unknown): boolean {
  try {
    return parseSessionId(value as string).providerId !== '';
  } catch {
    return false;
  }
}

export interface LeftMessagesOptions {
  readonly unsent: UnsentMessages;
  /** Messages of other providers are left alone. */
  readonly providerId: string;
  readonly openChat: (resource: URI) => ChatModel;
  /** Gets a message that the host refuses: it is stored nowhere else any more. */
  readonly onUnsendable?: ((message: UnsentMessage, error: unknown) => void) | undefined;
}

/** Sends what an earlier page has left, each once. */
export function sendLeftMessages({ unsent, providerId, openChat, onUnsendable }: LeftMessagesOptions): void {
  for (const left of unsent.all()) {
    if (parseSessionId(left.resource).providerId !== providerId) continue;
    const chat = openChat(left.resource);
    deliver(chat, left)
      .catch((error: unknown) => {
        if (!unsent.has(left.id)) onUnsendable?.(left, error);
      })
      .finally(() => chat.dispose());
  }
}

async function deliver(chat: ChatModel, { kind, id, message }: UnsentMessage): Promise<void> {
  if (kind === 'edit') await chat.editPending(id, message);
  else if (kind === 'steer') await chat.steer(message, id);
  else await chat.submit(message, id);
}
