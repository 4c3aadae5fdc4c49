import type { Observable } from '@agenthost/client';
import type { Turn, UserMessage } from '@agenthost/protocol';
import type { EditableChat } from '../chat/editableChat.js';
import { observable, type SettableObservable, transaction } from '../observable.js';
import { SessionStatus, type URI } from '../session.js';

export interface InMemoryTurnsOptions {
  readonly reply: (message: UserMessage) => Promise<string | undefined>;
  readonly now: () => Date;
}

/** What was said in the chats of a provider. */
export class InMemoryTurns {
  readonly #options: InMemoryTurnsOptions;
  readonly #turns = new Map<URI, SettableObservable<readonly Turn[]>>();

  constructor(options: InMemoryTurnsOptions) {
    this.#options = options;
  }

  of(chatUri: URI): Observable<readonly Turn[]> | undefined {
    return this.#turns.get(chatUri);
  }

  delete(chatUri: URI): void {
    this.#turns.delete(chatUri);
  }

  /** A turn that is over. Rejects when the message is refused. */
  async take(userMessage: UserMessage, id: string = crypto.randomUUID()): Promise<Turn> {
    const { reply, now } = this.#options;
    const startedAt = now().getTime();
    const content = await reply(userMessage);
    const answer = content === undefined ? [] : [{ kind: 'markdown', id: `${id}-answer`, content } as const];
    const endedAt = now().getTime();
    return { id, userMessage, responseParts: answer, toolCalls: [], state: 'complete', startedAt, endedAt };
  }

  /** The chat has that turn from now on. */
  add(chat: EditableChat, turn: Turn): EditableChat {
    const turns = this.#turns.get(chat.resource) ?? observable<readonly Turn[]>([]);
    this.#turns.set(chat.resource, turns);
    const at = new Date(turn.endedAt);
    transaction(() => {
      turns.set([...turns.value, turn]);
      const title = chat.title.value || firstLine(turn.userMessage.text);
      chat.update({ title, status: SessionStatus.Completed, updatedAt: at, lastTurnEnd: at });
    });
    return chat;
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
