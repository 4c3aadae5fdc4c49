import { Emitter } from '@agenthost/client/internal';
import type { Turn, UserMessage } from '@agenthost/protocol';
import type { ChatModel } from '../chat/chatModel.js';
import { chatModelOf } from '../chat/chatModelOf.js';
import { createChat, type EditableChat } from '../chat/editableChat.js';
import { NotSupportedError, SessionNotFoundError } from '../errors.js';
import { observable, type SettableObservable, transaction } from '../observable.js';
import type {
  SendRequestOptions,
  SessionReplacement,
  SessionsChangeEvent,
  SessionsProvider,
  SessionType,
  SessionWorkspaceBrowseAction,
} from '../providers/sessionsProvider.js';
import { type Session, SessionStatus, type SessionWorkspace, type URI } from '../session.js';
import { sessionOfChats } from '../sessionOfChats.js';
import { workspaceOfMetadata } from '../workspace/workspaceOfMetadata.js';
import { InMemoryTurns } from './inMemoryTurns.js';

export interface InMemoryProviderOptions {
  readonly id?: string;
  readonly label?: string;
  readonly sessionTypes?: readonly SessionType[];
  readonly supportsMultipleChats?: boolean;
  readonly browseActions?: readonly Omit<SessionWorkspaceBrowseAction, 'providerId'>[];
  /** Answers a message; without it there are no answers. When it rejects, the message is refused. */
  readonly reply?: (message: UserMessage) => Promise<string | undefined>;
  readonly now?: () => Date;
}

interface Entry {
  readonly session: Session;
  readonly chats: SettableObservable<readonly EditableChat[]>;
  readonly workspace: SettableObservable<SessionWorkspace>;
  readonly loading: SettableObservable<boolean>;
}

type EntryParts = Omit<Entry, 'session'>;

const DEFAULT_TYPES: readonly SessionType[] = [
  { id: 'notes', label: 'Notes', icon: 'note' },
  { id: 'lists', label: 'Lists', icon: 'list' },
];

/**
 * Sessions that live as long as the process, for tests and examples.
 *
 * @example
 * ```ts
 * providers.registerProvider(new InMemoryProvider({ id: 'notes' }));
 * ```
 */
export class InMemoryProvider implements SessionsProvider {
  readonly id: string;
  readonly label: string;
  readonly icon = 'memory';
  readonly browseActions: readonly SessionWorkspaceBrowseAction[];
  readonly #sessions = new Map<string, Entry>();
  readonly #turns: InMemoryTurns;
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
    this.#turns = new InMemoryTurns({ reply: options.reply ?? (async () => undefined), now: this.#now });
    const { browseActions = [] } = options;
    this.browseActions = browseActions.map((action) => ({ ...action, providerId: this.id }));
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
    const { session } = this.#put(this.#entry(type, crypto.randomUUID(), this.#newParts(workspace)));
    this.#changes.fire({ added: [session], removed: [], changed: [] });
    return session;
  }

  async setSessionType(sessionId: string, typeId: string): Promise<Session> {
    const { session, ...parts } = this.#find(sessionId);
    const type = this.#types.find(({ id }) => id === typeId);
    if (!type) throw new NotSupportedError(`${this.label} has no session type ${typeId}`);
    if (session.status.value !== SessionStatus.Untitled) {
      throw new NotSupportedError(`${sessionId} has begun; its type can't be changed any more`);
    }
    const updated = this.#put(this.#entry(type, localId(session), parts));
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
    const { session, chats } = this.#find(sessionId);
    this.#sessions.delete(sessionId);
    for (const { resource } of chats.value) this.#turns.delete(resource);
    this.#changes.fire({ added: [], removed: [session], changed: [] });
  }

  async deleteChat(sessionId: string, chatUri: URI): Promise<void> {
    const { session, chats } = this.#find(sessionId);
    const left = chats.value.filter(({ resource }) => resource !== chatUri);
    if (left.length === chats.value.length) throw new SessionNotFoundError(`chat ${chatUri} in ${sessionId}`);
    if (left.length === 0) return this.deleteSession(sessionId);
    chats.set(left);
    this.#turns.delete(chatUri);
    this.#changes.fire({ added: [], removed: [], changed: [session] });
  }

  async sendAndCreateChat(sessionId: string, { query, attachedContext }: SendRequestOptions): Promise<Session> {
    const { session, chats, loading } = this.#find(sessionId);
    const message: UserMessage = { text: query, ...(attachedContext?.length && { attachments: attachedContext }) };
    if (session.status.value !== SessionStatus.Untitled) {
      if (!session.capabilities.supportsMultipleChats) {
        throw new NotSupportedError(`${sessionId} has one chat only; begin another session`);
      }
      const turn = await this.#turns.take(message);
      chats.set([...chats.value, this.#turns.add(createChat(this.#newResource(), this.#now()), turn)]);
      this.#changes.fire({ added: [], removed: [], changed: [session] });
      return session;
    }
    if (loading.value) throw new NotSupportedError(`${sessionId} is being sent already; wait for that`);
    loading.set(true);
    try {
      return this.#commit(sessionId, await this.#turns.take(message));
    } finally {
      loading.set(false);
    }
  }

  openChat(chatUri: URI): ChatModel {
    const entry = [...this.#sessions.values()].find((one) => one.chats.value.some((it) => it.resource === chatUri));
    const turns = this.#turns.of(chatUri);
    const chat = entry?.chats.value.find(({ resource }) => resource === chatUri);
    if (!entry || !chat || !turns) throw new SessionNotFoundError(`chat ${chatUri} of ${this.label}`);
    const { session, workspace } = entry;
    const update = async (fields: Parameters<EditableChat['update']>[0]) =>
      this.updateChat(session.sessionId, chatUri, fields);
    const folder = workspace.value.repositories[0]?.workingDirectory;
    return chatModelOf({
      chat,
      turns,
      sessionType: session.sessionType,
      ...(folder !== undefined && { workingDirectory: folder }),
      submit: async (message, id) => {
        if (turns.value.some((turn) => turn.id === id)) return;
        this.#turns.add(chat, await this.#turns.take(message, id));
        this.#changes.fire({ added: [], removed: [], changed: [session] });
      },
      actions: {
        rename: (title) => update({ title }),
        setModel: (modelId) => update({ modelId }),
        markRead: (isRead = true) => update({ isRead }),
        archive: (isArchived = true) => update({ isArchived }),
      },
    });
  }

  /** As if the user had trusted the workspace, or withdrawn the trust. */
  setRequiresTrust(sessionId: string, requiresWorkspaceTrust: boolean): void {
    const { session, workspace } = this.#find(sessionId);
    workspace.set({ ...workspace.value, requiresWorkspaceTrust });
    this.#changes.fire({ added: [], removed: [], changed: [session] });
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

  #newParts(workspace: SessionWorkspace): EntryParts {
    const chats = observable([createChat(this.#newResource(), this.#now())]);
    return { chats, workspace: observable(workspace), loading: observable(false) };
  }

  #entry(type: SessionType, id: string, parts: EntryParts): Entry {
    const session = sessionOfChats({
      providerId: this.id,
      localId: id,
      resource: `${this.id}:${id}`,
      sessionType: type.id,
      icon: type.icon,
      createdAt: parts.chats.value[0]?.createdAt ?? this.#now(),
      capabilities: { supportsMultipleChats: this.#supportsMultipleChats },
      ...parts,
    });
    return { session, ...parts };
  }

  /** In one step: readers see the untitled session or the committed one, never both and never none. */
  #commit(sessionId: string, turn: Turn): Session {
    const { session: from, workspace } = this.#find(sessionId);
    const type = this.#types.find(({ id }) => id === from.sessionType);
    if (!type) throw new NotSupportedError(`${this.label} has no session type ${from.sessionType} any more`);
    const committed = this.#entry(type, crypto.randomUUID(), this.#newParts(workspace.value));
    for (const chat of committed.chats.value) this.#turns.add(chat, turn);
    this.#sessions.delete(sessionId);
    this.#put(committed);
    this.#replacements.fire({ from, to: committed.session });
    return committed.session;
  }

  #newResource(): URI {
    return `${this.id}:chat/${crypto.randomUUID()}`;
  }
}

function localId({ providerId, sessionId }: Session): string {
  return sessionId.slice(providerId.length + 1);
}
