import { createChat, type EditableChat } from '../chat/editableChat.js';
import { observable, type SettableObservable } from '../observable.js';
import type { Session, SessionWorkspace } from '../session.js';
import { sessionOfChats } from '../sessionOfChats.js';
import { chatResource, type HostIdentity } from './hostSessionGroup.js';

/** A session that was begun here; the host learns of it with its first message. */
export interface UntitledSession {
  readonly session: Session;
  readonly chat: EditableChat;
  readonly workspace: SettableObservable<SessionWorkspace>;
  readonly loading: SettableObservable<boolean>;
}

export class UntitledSessions {
  readonly #identity: HostIdentity;
  readonly #sessions = new Map<string, UntitledSession>();

  constructor(identity: HostIdentity) {
    this.#identity = identity;
  }

  all(): readonly Session[] {
    return [...this.#sessions.values()].map(({ session }) => session);
  }

  get(localId: string): UntitledSession | undefined {
    return this.#sessions.get(localId);
  }

  create(workspace: SessionWorkspace, type: string): UntitledSession {
    // No colon in it, so it is no URI of the host's.
    const localId = `untitled-${crypto.randomUUID()}`;
    const chat = createChat(chatResource(this.#identity.providerId, localId), new Date());
    return this.#put(localId, { chat, workspace: observable(workspace), loading: observable(false) }, type);
  }

  /** Another object under the same id, with the same chat. */
  setType(localId: string, untitled: UntitledSession, type: string): UntitledSession {
    // A model is one of its agent's.
    untitled.chat.update({ modelId: undefined });
    return this.#put(localId, untitled, type);
  }

  delete(localId: string): boolean {
    return this.#sessions.delete(localId);
  }

  #put(localId: string, parts: Omit<UntitledSession, 'session'>, type: string): UntitledSession {
    const { providerId, supportsMultipleChats, icon } = this.#identity;
    const { chat, workspace, loading } = parts;
    const session = sessionOfChats({
      providerId,
      localId,
      resource: chat.resource,
      sessionType: type,
      icon: icon(type),
      createdAt: chat.createdAt,
      capabilities: { supportsMultipleChats: supportsMultipleChats(type) },
      chats: observable([chat]),
      workspace,
      loading,
    });
    const untitled = { session, chat, workspace, loading };
    this.#sessions.set(localId, untitled);
    return untitled;
  }
}
