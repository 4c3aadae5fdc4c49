import { observable, type SettableObservable, transaction } from '../observable.js';
import { type Chat, type SessionFileChange, type SessionMode, SessionStatus, type URI } from '../session.js';

/** What a provider knows about a chat. */
export interface ChatFields {
  readonly title: string;
  readonly updatedAt: Date;
  readonly status: SessionStatus;
  readonly changes: readonly SessionFileChange[];
  readonly modelId: string | undefined;
  readonly mode: SessionMode | undefined;
  readonly isArchived: boolean;
  readonly isRead: boolean;
  readonly description: string | undefined;
  readonly lastTurnEnd: Date | undefined;
}

/** A chat whose provider sets its fields. */
export interface EditableChat extends Chat {
  /** All of them as one change. */
  update(fields: Partial<ChatFields>): void;
}

/**
 * Makes a chat whose fields its provider sets with `update`.
 *
 * @example
 * ```ts
 * const chat = createChat('notes:/1', new Date(), { title: 'Shopping' });
 * chat.update({ title: 'Shopping on Friday' });
 * ```
 */
export function createChat(resource: URI, createdAt: Date, fields: Partial<ChatFields> = {}): EditableChat {
  const initial: ChatFields = {
    title: '',
    updatedAt: createdAt,
    status: SessionStatus.Untitled,
    changes: [],
    modelId: undefined,
    mode: undefined,
    isArchived: false,
    isRead: true,
    description: undefined,
    lastTurnEnd: undefined,
    ...fields,
  };
  const cells = Object.fromEntries(Object.entries(initial).map(([key, value]) => [key, observable(value)])) as {
    readonly [K in keyof ChatFields]: SettableObservable<ChatFields[K]>;
  };
  const update = (changes: Partial<ChatFields>) =>
    transaction(() => {
      for (const [key, value] of Object.entries(changes)) {
        (cells[key as keyof ChatFields] as SettableObservable<unknown>).set(value);
      }
    });
  return { resource, createdAt, ...cells, update };
}
