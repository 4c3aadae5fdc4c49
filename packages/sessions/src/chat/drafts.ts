import type { Observable } from '@agenthost/client';
import { dropOldest } from '@agenthost/protocol/internal';
import { computed, observable } from '../observable.js';
import { memoryStorage, readItem, type SessionsStorage, writeItem } from '../sessionsStorage.js';

const KEY = 'agenthost.sessions.drafts';
const MAX_DRAFTS = 100;
const MAX_LENGTH = 100_000;

/**
 * What was typed and not sent, by chat. Survives a reload where the storage does. When there are too many, the oldest are dropped.
 *
 * @example
 * ```ts
 * const drafts = new Drafts(localStorage);
 * drafts.set(chat.resource, 'Fix the');
 * drafts.of(chat.resource).subscribe((text) => console.log(text));
 * ```
 */
export class Drafts {
  readonly #storage: SessionsStorage;
  /** In the order of their last change. */
  readonly #texts: Map<string, string>;
  readonly #changes = observable(0);

  constructor(storage: SessionsStorage = memoryStorage()) {
    this.#storage = storage;
    this.#texts = parse(readItem(storage, KEY));
  }

  /** Empty where there is none. */
  of(resource: string): Observable<string> {
    return computed(() => {
      void this.#changes.value;
      return this.#texts.get(resource) ?? '';
    });
  }

  set(resource: string, text: string): void {
    this.#texts.delete(resource);
    if (text !== '') this.#texts.set(resource, text.slice(0, MAX_LENGTH));
    dropOldest(this.#texts, MAX_DRAFTS);
    writeItem(this.#storage, KEY, this.#texts.size > 0 ? JSON.stringify([...this.#texts]) : undefined);
    this.#changes.set(this.#changes.value + 1);
  }

  /** Call it when an untitled session is committed, or a message was sent. */
  move(from: string, to: string): void {
    const text = this.#texts.get(from) ?? '';
    this.set(from, '');
    this.set(to, text);
  }
}

/** Ignores what another version or another program has stored there. */
function parse(text: string | undefined): Map<string, string> {
  try {
    const entries: unknown = JSON.parse(text ?? '[]');
    const isDraft = (entry: unknown): entry is [string, string] =>
      Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === 'string');
    return new Map(Array.isArray(entries) ? entries.filter(isDraft).slice(-MAX_DRAFTS) : []);
  } catch {
    return new Map();
  }
}
