// A sessions provider in one file: each markdown file of a folder is a session, its heading is the title, and the text
// below it is the conversation. nodeNoteFolder.ts is such a folder on a disk, storageNoteFolder.ts one in a browser.
import {
  type ChatFields,
  type ChatModel,
  chatModelOf,
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
  type SessionWorkspaceBrowseAction,
  type SettableObservable,
  sessionOfChats,
} from '@agenthost/sessions';
import { appendTurn, type NoteFile, type NoteFolder, readNote, withTitle } from './noteFile.ts';

type Turns = SettableObservable<ReturnType<typeof readNote>['turns']>;
type Note = { readonly session: Session; readonly chat: EditableChat; readonly turns: Turns; file?: NoteFile };

export class MarkdownFolderProvider implements SessionsProvider {
  readonly id = 'markdown';
  readonly label = 'Markdown files';
  readonly icon = 'markdown';
  readonly sessionTypes: readonly SessionType[] = [{ id: 'note', label: 'Note', icon: 'note' }];
  readonly browseActions: readonly SessionWorkspaceBrowseAction[];
  readonly #folder: NoteFolder;
  readonly #watching: { dispose(): void };
  readonly #notes = new Map<string, Note>();
  readonly #changes = new Emitter<SessionsChangeEvent>();
  readonly #replacements = new Emitter<SessionReplacement>();
  readonly onDidChangeSessions = this.#changes.event;
  readonly onDidReplaceSession = this.#replacements.event;

  constructor(folder: NoteFolder) {
    this.#folder = folder;
    const run = async () => this.resolveWorkspace(folder.uri);
    this.browseActions = [{ label: 'Notes', icon: 'folder', providerId: this.id, run }];
    this.#watching = folder.watch(() => this.#read());
    this.#read();
  }

  resolveWorkspace(uri: string): SessionWorkspace {
    const label = uri.split('/').findLast((part) => part !== '') ?? uri;
    return { label, icon: 'folder', repositories: [{ uri }], requiresWorkspaceTrust: false };
  }

  getSessions = () => [...this.#notes.values()].map(({ session }) => session);
  getSessionTypes = (sessionId: string) => this.#find(sessionId) && this.sessionTypes;

  async createNewSession(workspace: SessionWorkspace): Promise<Session> {
    const { session } = this.#put(`untitled-${crypto.randomUUID()}`, workspace);
    this.#fire({ added: [session] });
    return session;
  }

  /** In one step: a reader sees the untitled note or the written one, never both and never none. */
  async sendAndCreateChat(sessionId: string, { query }: SendRequestOptions): Promise<Session> {
    const { session: from } = this.#find(sessionId);
    if (from.status.value !== SessionStatus.Untitled) throw new NotSupportedError('a note is one chat; begin another');
    const to = this.#put(`${crypto.randomUUID()}.md`, from.workspace.value);
    const title = query.trim().split('\n')[0] ?? '';
    this.#show(to, this.#folder.write(nameOf(to), appendTurn(`# ${title}`, query)));
    this.#notes.delete(sessionId);
    this.#replacements.fire({ from, to: to.session });
    return to.session;
  }

  openChat(chatUri: string): ChatModel {
    const note = [...this.#notes.values()].find(({ chat, file }) => file && chat.resource === chatUri);
    if (!note) throw new SessionNotFoundError(`note ${chatUri}`);
    const { session, chat, turns } = note;
    const submit = async ({ text }: { readonly text: string }, id: string) => {
      if (!turns.value.some((turn) => turn.id === id)) this.#rewrite(note, (all) => appendTurn(all, text, id));
    };
    const markRead = (isRead = true) => this.setRead(session.sessionId, isRead);
    return chatModelOf({ chat, turns, sessionType: session.sessionType, submit, actions: { markRead } });
  }

  async renameChat(sessionId: string, chatUri: string, title: string): Promise<void> {
    this.#rewrite(this.#find(sessionId, chatUri), (text) => withTitle(text, title));
  }

  async deleteSession(sessionId: string): Promise<void> {
    const note = this.#find(sessionId);
    const { session } = note;
    this.#folder.remove(nameOf(note));
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
  dispose = () => this.#watching.dispose();

  /** Finds what others have written, changed and removed. */
  #read(): void {
    const files = this.#folder.list();
    const names = new Set(files.map(({ name }) => name));
    for (const note of [...this.#notes.values()]) {
      if (!note.file || names.has(note.file.name)) continue;
      this.#notes.delete(note.session.sessionId);
      this.#fire({ removed: [note.session] });
    }
    for (const file of files) {
      const known = this.#notes.get(`${this.id}:${file.name}`);
      if (known?.file?.text === file.text) continue;
      const { session } = this.#show(known ?? this.#put(file.name, this.resolveWorkspace(this.#folder.uri)), file);
      this.#fire(known ? { changed: [session] } : { added: [session] });
    }
  }

  #put(localId: string, workspace: SessionWorkspace | undefined): Note {
    const [createdAt, resource] = [new Date(), `${this.id}:${localId}`];
    const chat = createChat(resource, createdAt);
    const shown = { sessionType: 'note', icon: 'note', createdAt, resource, workspace: observable(workspace) };
    const session = sessionOfChats({ providerId: this.id, localId, ...shown, chats: observable([chat]) });
    const note = { session, chat, turns: observable([]) };
    this.#notes.set(session.sessionId, note);
    return note;
  }

  #rewrite(note: Note, change: (text: string) => string): void {
    this.#show(note, this.#folder.write(nameOf(note), change(note.file?.text ?? '')));
    this.#fire({ changed: [note.session] });
  }

  #show(note: Note, file: NoteFile): Note {
    const { title, turns } = readNote(file);
    const last = turns.at(-1)?.endedAt;
    note.file = file;
    note.turns.set(turns);
    const lastTurnEnd = last === undefined ? undefined : new Date(last);
    note.chat.update({ title, updatedAt: file.modifiedAt, status: SessionStatus.Completed, lastTurnEnd });
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

function nameOf({ session }: Note): string {
  return session.sessionId.slice(session.providerId.length + 1);
}
