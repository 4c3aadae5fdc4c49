import { createChat, type EditableChat } from '../editableChat.js';
import { Emitter } from '../emitter.js';
import { NotSupportedError, SessionNotFoundError } from '../errors.js';
import { observable, type SettableObservable, transaction } from '../observable.js';
import { type Session, SessionStatus, type SessionWorkspace, type URI } from '../session.js';
import { sessionOfChats } from '../sessionOfChats.js';
import type {
  SendRequestOptions,
  SessionReplacement,
  SessionsChangeEvent,
  SessionsProvider,
  SessionType,
  SessionWorkspaceBrowseAction,
} from '../sessionsProvider.js';
import { workspaceOfMetadata } from '../workspaceOfMetadata.js';

export interface InMemoryProviderOptions {
  readonly id?: string;
  readonly label?: string;
  readonly sessionTypes?: readonly SessionType[];
  readonly supportsMultipleChats?: boolean;
  readonly now?: () => Date;
}

interface Entry {
  readonly session: Session;
  readonly chats: SettableObservable<readonly EditableChat[]>;
  readonly workspace: SessionWorkspace;
}

const DEFAULT_TYPES: readonly SessionType[] = [
  { id: 'notes', label: 'Notes', icon: 'note' },
  { id: 'lists', label: 'Lists', icon: 'list' },
];

/** Sessions that live as long as the process: for tests and examples. Nothing answers what is sent to it. */
export class InMemoryProvider implements SessionsProvider {
  readonly id: string;
  readonly label: string;
  readonly icon = 'memory';
  readonly browseActions: readonly SessionWorkspaceBrowseAction[] = [];
  readonly #sessions = new Map<string, Entry>();
  readonly #changes = new Emitter<SessionsChangeEvent>();
  readonly #replacements = new Emitter<SessionReplacement>();
  readonly #typeChanges = new Emitter<void>();
  readonly #supportsMultipleChats: boolean;
  readonly #now: () => Date;
  #types: readonly SessionType[];

  readonly onDidChangeSessions = this.#changes.event;
  readonly onDidReplaceSession = this.#replacements.event;
  readonly onDidChangeSessionTypes = this.#typeChanges.event;

  constructor(options: InMemoryProviderOptions = {}) {
    this.id = options.id ?? 'memory';
    this.label = options.label ?? 'In memory';
    this.#types = options.sessionTypes ?? DEFAULT_TYPES;
    this.#supportsMultipleChats = options.supportsMultipleChats ?? true;
    this.#now = options.now ?? (() => new Date());
  }

  get sessionTypes(): readonly SessionType[] {
    return this.#types;
  }

  setSessionTypes(types: readonly SessionType[]): void {
    this.#types = types;
    this.#typeChanges.fire();
  }

  resolveWorkspace(repositoryUri: URI): SessionWorkspace {
    const workspace = workspaceOfMetadata({ workingDirectory: repositoryUri });
    if (!workspace) throw new NotSupportedError(`${repositoryUri} names no folder; give a file: URI`);
    return workspace;
  }

  getSessions(): readonly Session[] {
    return [...this.#sessions.values()].map(({ session }) => session);
  }

  async createNewSession(workspace: SessionWorkspace): Promise<Session> {
    const [type] = this.#types;
    if (!type) throw new NotSupportedError(`${this.label} has no session type; set one first`);
    const { session } = this.#put(this.#entry(type, workspace, crypto.randomUUID()));
    this.#changes.fire({ added: [session], removed: [], changed: [] });
    return session;
  }

  async setSessionType(sessionId: string, typeId: string): Promise<Session> {
    const { session, workspace, chats } = this.#find(sessionId);
    const type = this.#types.find(({ id }) => id === typeId);
    if (!type) throw new NotSupportedError(`${this.label} has no session type ${typeId}`);
    if (session.status.value !== SessionStatus.Untitled) {
      throw new NotSupportedError(`${sessionId} has begun; its type can't be changed any more`);
    }
    const updated = this.#put(this.#entry(type, workspace, localId(session), chats));
    this.#changes.fire({ added: [], removed: [], changed: [updated.session] });
    return updated.session;
  }

  getSessionTypes(sessionId: string): readonly SessionType[] {
    const { session } = this.#find(sessionId);
    const isNew = session.status.value === SessionStatus.Untitled;
    return isNew ? this.#types : this.#types.filter(({ id }) => id === session.sessionType);
  }

  async renameChat(sessionId: string, chatUri: URI, title: string): Promise<void> {
    this.updateChat(sessionId, chatUri, { title });
  }

  async setModel(sessionId: string, modelId: string): Promise<void> {
    this.updateChat(sessionId, this.#find(sessionId).session.mainChat.resource, { modelId });
  }

  async archiveSession(sessionId: string): Promise<void> {
    this.#updateAll(sessionId, { isArchived: true });
  }

  async unarchiveSession(sessionId: string): Promise<void> {
    this.#updateAll(sessionId, { isArchived: false });
  }

  async setRead(sessionId: string, read: boolean): Promise<void> {
    this.#updateAll(sessionId, { isRead: read });
  }

  async deleteSession(sessionId: string): Promise<void> {
    const { session } = this.#find(sessionId);
    this.#sessions.delete(sessionId);
    this.#changes.fire({ added: [], removed: [session], changed: [] });
  }

  async deleteChat(sessionId: string, chatUri: URI): Promise<void> {
    const { session, chats } = this.#find(sessionId);
    const left = chats.value.filter(({ resource }) => resource !== chatUri);
    if (left.length === chats.value.length) throw new SessionNotFoundError(`chat ${chatUri} in ${sessionId}`);
    if (left.length === 0) return this.deleteSession(sessionId);
    chats.set(left);
    this.#changes.fire({ added: [], removed: [], changed: [session] });
  }

  async sendAndCreateChat(sessionId: string, { query }: SendRequestOptions): Promise<Session> {
    const { session, chats, workspace } = this.#find(sessionId);
    const sent = { title: firstLine(query), status: SessionStatus.Completed, lastTurnEnd: this.#now() };
    if (session.status.value === SessionStatus.Untitled) {
      const type = this.#types.find(({ id }) => id === session.sessionType);
      if (!type) throw new NotSupportedError(`${this.label} has no session type ${session.sessionType} any more`);
      const committed = this.#entry(type, workspace, crypto.randomUUID());
      committed.chats.value[0]?.update(sent);
      this.#sessions.delete(sessionId);
      this.#put(committed);
      this.#replacements.fire({ from: session, to: committed.session });
      return committed.session;
    }
    if (!session.capabilities.supportsMultipleChats) {
      throw new NotSupportedError(`${sessionId} has one chat only; begin another session`);
    }
    chats.set([...chats.value, createChat(this.#newResource(), this.#now(), sent)]);
    this.#changes.fire({ added: [], removed: [], changed: [session] });
    return session;
  }

  /** As if the agent had done something. */
  updateChat(sessionId: string, chatUri: URI, fields: Parameters<EditableChat['update']>[0]): void {
    const { session, chats } = this.#find(sessionId);
    const chat = chats.value.find(({ resource }) => resource === chatUri);
    if (!chat) throw new SessionNotFoundError(`chat ${chatUri} in ${sessionId}`);
    chat.update(fields);
    this.#changes.fire({ added: [], removed: [], changed: [session] });
  }

  #updateAll(sessionId: string, fields: Parameters<EditableChat['update']>[0]): void {
    const { session, chats } = this.#find(sessionId);
    transaction(() => {
      for (const chat of chats.value) chat.update(fields);
    });
    this.#changes.fire({ added: [], removed: [], changed: [session] });
  }

  #find(sessionId: string): Entry {
    const entry = this.#sessions.get(sessionId);
    if (!entry) throw new SessionNotFoundError(`session ${sessionId}`);
    return entry;
  }

  #put(entry: Entry): Entry {
    this.#sessions.set(entry.session.sessionId, entry);
    return entry;
  }

  #entry(
    type: SessionType,
    workspace: SessionWorkspace,
    id: string,
    chats: Entry['chats'] = observable([createChat(this.#newResource(), this.#now())]),
  ): Entry {
    const session = sessionOfChats({
      providerId: this.id,
      localId: id,
      resource: `${this.id}:${id}`,
      sessionType: type.id,
      icon: type.icon,
      createdAt: chats.value[0]?.createdAt ?? this.#now(),
      capabilities: { supportsMultipleChats: this.#supportsMultipleChats },
      workspace: observable(workspace),
      chats,
    });
    return { session, chats, workspace };
  }

  #newResource(): URI {
    return `${this.id}:chat/${crypto.randomUUID()}`;
  }
}

function localId({ providerId, sessionId }: Session): string {
  return sessionId.slice(providerId.length + 1);
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
