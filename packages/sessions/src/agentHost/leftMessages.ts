import type { ChatModel } from '../chat/chatModel.js';
import type { UnsentMessage, UnsentMessages } from '../chat/unsentMessages.js';
import type { URI } from '../session.js';
import { parseSessionId } from '../sessionId.js';

export interface LeftMessagesOptions {
  readonly unsent: UnsentMessages;
  /** Messages of other providers are left alone. */
  readonly providerId: string;
  readonly openChat: (resource: URI) => ChatModel;
  /** Told of a message that the host does not take: it is nowhere else any more. */
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
