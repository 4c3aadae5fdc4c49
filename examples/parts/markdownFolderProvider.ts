// A sessions provider in one file: each markdown file of a folder is a session, its heading is the title.
import { type FSWatcher, mkdirSync, readdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type ChatFields,
  createChat,
  type EditableChat,
  Emitter,
  NotSupportedError,
  observable,
  type SendRequestOptions,
  type Session,
  SessionNotFoundError,
  type SessionReplacement,
  SessionStatus,
  type SessionsChangeEvent,
  type SessionsProvider,
  type SessionType,
  type SessionWorkspace,
  sessionOfChats,
} from '@agenthost/sessions';

type Note = { readonly session: Session; readonly chat: EditableChat; readonly path: string };

export class MarkdownFolderProvider implements SessionsProvider {
  readonly id = 'markdown';
  readonly label = 'Markdown files';
  readonly icon = 'markdown';
  readonly sessionTypes: readonly SessionType[] = [{ id: 'note', label: 'Note', icon: 'note' }];
  readonly browseActions = [];
  readonly #folder: string;
  readonly #watcher: FSWatcher;
  readonly #notes = new Map<string, Note>();
  readonly #changes = new Emitter<SessionsChangeEvent>();
  readonly #replacements = new Emitter<SessionReplacement>();
  readonly onDidChangeSessions = this.#changes.event;
  readonly onDidReplaceSession = this.#replacements.event;

  constructor(folder: string) {
    this.#folder = resolve(folder);
    mkdirSync(this.#folder, { recursive: true });
    this.#watcher = watch(this.#folder, () => this.#read());
    this.#read();
  }

  resolveWorkspace(uri: string): SessionWorkspace {
    return { label: basename(uri), icon: 'folder', repositories: [{ uri }], requiresWorkspaceTrust: false };
  }

  getSessions = () => [...this.#notes.values()].map(({ session }) => session);
  getSessionTypes = (sessionId: string) => this.#find(sessionId) && this.sessionTypes;

  async createNewSession(workspace: SessionWorkspace): Promise<Session> {
    const { session } = this.#put(`untitled-${crypto.randomUUID()}`, workspace);
    this.#fire({ added: [session] });
    return session;
  }

  /** In one go: whoever looks sees the untitled note or the written one, never both and never none. */
  async sendAndCreateChat(sessionId: string, { query }: SendRequestOptions): Promise<Session> {
    const { session: from } = this.#find(sessionId);
    if (from.status.value !== SessionStatus.Untitled) throw new NotSupportedError('a note is one chat; begin another');
    const { session: to, chat, path } = this.#put(`${crypto.randomUUID()}.md`, from.workspace.value);
    writeFileSync(path, `# ${query}\n`);
    chat.update(readNote(path));
    this.#notes.delete(sessionId);
    this.#replacements.fire({ from, to });
    return to;
  }

  async renameChat(sessionId: string, chatUri: string, title: string): Promise<void> {
    const { path } = this.#find(sessionId, chatUri);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^(?:# .*)?/, `# ${title}`));
    this.#set(sessionId, readNote(path));
  }

  async deleteSession(sessionId: string): Promise<void> {
    const { session, path } = this.#find(sessionId);
    rmSync(path, { force: true });
    this.#notes.delete(sessionId);
    this.#fire({ removed: [session] });
  }

  async deleteChat(sessionId: string, chatUri: string): Promise<void> {
    await this.deleteSession(this.#find(sessionId, chatUri).session.sessionId);
  }

  async setSessionType(sessionId: string, type: string): Promise<Session> {
    const { session } = this.#find(sessionId);
    if (type === 'note' && session.status.value === SessionStatus.Untitled) return session;
    throw new NotSupportedError(`${this.label} are notes, and stay so`);
  }

  setModel = async (sessionId: string, modelId: string) => this.#set(sessionId, { modelId });
  archiveSession = async (sessionId: string) => this.#set(sessionId, { isArchived: true });
  unarchiveSession = async (sessionId: string) => this.#set(sessionId, { isArchived: false });
  setRead = async (sessionId: string, isRead: boolean) => this.#set(sessionId, { isRead });
  dispose = () => this.#watcher.close();

  /** Finds what others have written, changed and removed. */
  #read(): void {
    const names = new Set(readdirSync(this.#folder).filter((name) => name.endsWith('.md')));
    for (const { session, path } of [...this.#notes.values()]) {
      if (session.status.value === SessionStatus.Untitled || names.has(basename(path))) continue;
      this.#notes.delete(session.sessionId);
      this.#fire({ removed: [session] });
    }
    for (const name of names) {
      const known = this.#notes.get(`${this.id}:${name}`);
      const note = known ?? this.#put(name, this.resolveWorkspace(pathToFileURL(this.#folder).href));
      note.chat.update(readNote(note.path));
      this.#fire(known ? { changed: [note.session] } : { added: [note.session] });
    }
  }

  #put(localId: string, workspace: SessionWorkspace | undefined): Note {
    const [createdAt, resource] = [new Date(), `${this.id}:${localId}`];
    const chat = createChat(resource, createdAt);
    const shown = { sessionType: 'note', icon: 'note', createdAt, resource, workspace: observable(workspace) };
    const session = sessionOfChats({ providerId: this.id, localId, ...shown, chats: observable([chat]) });
    const note = { session, chat, path: join(this.#folder, localId) };
    this.#notes.set(session.sessionId, note);
    return note;
  }

  #find(sessionId: string, chatUri?: string): Note {
    const note = this.#notes.get(sessionId);
    if (note && (chatUri ?? note.chat.resource) === note.chat.resource) return note;
    throw new SessionNotFoundError(`note ${chatUri ?? sessionId}`);
  }

  #set(sessionId: string, fields: Partial<ChatFields>): void {
    const { session, chat } = this.#find(sessionId);
    chat.update(fields);
    this.#fire({ changed: [session] });
  }

  #fire(event: Partial<SessionsChangeEvent>): void {
    this.#changes.fire({ added: [], removed: [], changed: [], ...event });
  }
}

function readNote(path: string): Partial<ChatFields> {
  const title = /^# (.*)/.exec(readFileSync(path, 'utf8'))?.[1] ?? basename(path);
  return { title, updatedAt: statSync(path).mtime, status: SessionStatus.Completed };
}
