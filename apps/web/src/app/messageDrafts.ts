import type { Attachment, UserMessage } from '@agenthost/protocol';
import { computed, Drafts, type Observable, observable } from '@agenthost/sessions';

export interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

const EMPTY: Draft = { text: '', attachments: [] };
const PREFIX = 'agenthost.attachments ';
/** Browser storages hold about five million characters for all drafts of a tab. */
const MAX_KEPT = 1_500_000;

/** Unsent text by chat: the text is kept in this browser, attachments in this tab as far as they fit. */
export class MessageDrafts {
  readonly #texts = new Drafts(localStorage);
  /** Complete in memory: only the stored copy has limits. */
  readonly #written = new Map<string, Draft>();
  readonly #changes = observable(0);

  of(chat: string): Observable<Draft> {
    return computed(() => {
      void this.#changes.value;
      return this.#now(chat);
    });
  }

  set(chat: string, draft: Draft): void {
    this.#written.set(chat, draft);
    keep(chat, draft.attachments);
    this.#texts.set(chat, draft.text);
    this.#changes.set(this.#changes.value + 1);
  }

  /** Puts a refused message in front of what was written since. */
  giveBack(chat: string, message: UserMessage): void {
    const now = this.#now(chat);
    this.set(chat, {
      text: [message.text, now.text].filter(Boolean).join('\n\n'),
      attachments: [...(message.attachments ?? []), ...now.attachments],
    });
  }

  clear(chat: string): void {
    this.set(chat, EMPTY);
  }

  #now(chat: string): Draft {
    const known = this.#written.get(chat);
    if (known) return known;
    const draft = { text: this.#texts.of(chat).value, attachments: kept(chat) };
    this.#written.set(chat, draft);
    return draft;
  }
}

/** Whether they would survive a reload. */
export function fitsDraft(attachments: readonly Attachment[]): boolean {
  return JSON.stringify(attachments).length <= MAX_KEPT;
}

function keep(chat: string, attachments: readonly Attachment[]): void {
  try {
    if (attachments.length > 0 && fitsDraft(attachments))
      sessionStorage.setItem(PREFIX + chat, JSON.stringify(attachments));
    else sessionStorage.removeItem(PREFIX + chat);
  } catch {
    // The storage is full: they live until the page is closed; the composer warns about large ones.
  }
}

function kept(chat: string): readonly Attachment[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(PREFIX + chat) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isAttachment) : [];
  } catch {
    return [];
  }
}

function isAttachment(value: unknown): value is Attachment {
  const { kind, label } = (value ?? {}) as Partial<Attachment>;
  return typeof kind === 'string' && typeof label === 'string';
}
