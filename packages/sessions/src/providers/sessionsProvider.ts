import type { Observable } from '@agenthost/client';
import type { Event } from '@agenthost/client/internal';
import type { AgentAvailability, Attachment } from '@agenthost/protocol';
import type { ChatModel, OpenChatOptions } from '../chat/chatModel.js';
import type { IconId, Session, SessionWorkspace, URI } from '../session.js';

/** A kind of agent. Several providers may have the same one. */
export interface SessionType {
  readonly id: string;
  readonly label: string;
  readonly icon: IconId;
  readonly description?: string;
  /** Absent means that it can be used. */
  readonly availability?: AgentAvailability;
}

/** What a picker of workspaces offers, e.g. "Folders". */
export interface SessionWorkspaceBrowseAction {
  readonly label: string;
  readonly icon: IconId;
  readonly providerId: string;
  /** Lets the user pick; `undefined` when they did not. */
  run(): Promise<SessionWorkspace | undefined>;
}

export interface SessionsChangeEvent {
  readonly added: readonly Session[];
  readonly removed: readonly Session[];
  /** May bring a new object for the id of a known session; from then on it is that one. */
  readonly changed: readonly Session[];
}

export interface SessionReplacement {
  readonly from: Session;
  readonly to: Session;
}

/** Something attached to a message: a file, a selection, an image. */
export type AttachedContext = Attachment;

export interface SendRequestOptions {
  readonly query: string;
  readonly attachedContext?: readonly AttachedContext[];
  /** For the first message: the session works in a git worktree of its own. Providers without worktrees ignore it. */
  readonly worktree?: NewWorktree;
  /** For the first message: the mode that the agent begins in. Providers without modes ignore it. */
  readonly mode?: string;
  /** The same for other settings of the agent, by their ids. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A git worktree for a new session. */
export interface NewWorktree {
  /** The name of its branch; the provider chooses one if absent. */
  readonly branch?: string;
  /** The branch or commit that it begins at; what the folder has checked out if absent. */
  readonly base?: string;
  /** It begins with the uncommitted changes of the folder, which stay there too. */
  readonly takeChanges?: boolean;
}

export interface SearchResult {
  readonly session: Session;
  /** The text around what was found, which stands between ⟨ and ⟩. */
  readonly snippet?: string;
}

export interface SearchResults {
  readonly results: readonly SearchResult[];
  /** How many there are, also those that are not in `results`. */
  readonly total: number;
}

export interface DeleteSessionOptions {
  /** The conversation in the agent's own store: it is kept unless it is to be deleted. Where that fails, the session is kept too. */
  readonly agentCopy?: 'keep' | 'delete';
}

export interface SearchOptions {
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/**
 * An environment in which agents run: a host, a cloud, a folder of files. It owns its sessions.
 *
 * Contract, checked by `@agenthost/sessions/contract`:
 * - The ids of its sessions are `${id}:${localId}`, and each is there once. Ids of no session of it reject with an error.
 * - An event is fired when `getSessions` shows what it says already, and never for sessions of others.
 * - Its observables are made by this package (`observable`, `computed`), or wrapped by it (`tracked`): what is computed from
 *   them has to notice.
 * - A field's observable and `onDidChangeSessions` both report a change; the event is for lists, once for each change.
 * - A new session is `Untitled`. When its first message is committed it is replaced: `getSessions` shows the new one and
 *   not the old, and then `onDidReplaceSession` is fired, which stands for its removal and the other's addition.
 * - A session is `loading` from the call of `sendAndCreateChat` that sends its first message until it is replaced or that is refused.
 * - `lastTurnEnd` is when a turn ended, and nothing else; renaming, reading and archiving leave it as it is.
 * - Nothing throws synchronously but `resolveWorkspace`, `getSessionTypes` and `openChat`; promises reject with an error that says
 *   why.
 */
export interface SessionsProvider {
  /** `isProviderId`; one instance, so two hosts are two providers. */
  readonly id: string;
  readonly label: string;
  readonly icon: IconId;
  readonly sessionTypes: readonly SessionType[];
  readonly onDidChangeSessionTypes?: Event<void>;
  /** Whether its sessions go on when no user interface is there. */
  readonly isBackground?: boolean;

  readonly browseActions: readonly SessionWorkspaceBrowseAction[];
  resolveWorkspace(repositoryUri: URI): SessionWorkspace;

  getSessions(): readonly Session[];
  readonly onDidChangeSessions: Event<SessionsChangeEvent>;
  readonly onDidReplaceSession?: Event<SessionReplacement>;
  /** There when `getSessions` begins with the newest ones only. */
  readonly hasMoreSessions?: Observable<boolean>;
  loadMoreSessions?(): Promise<void>;
  /** Whether a list is on its way: what is not in `getSessions` may still come. */
  readonly isLoadingSessions?: Observable<boolean>;
  /** A session by what follows `${id}:` in its id, also one that `getSessions` does not show yet. Rejects where there is none. */
  findSession?(localId: string): Promise<Session>;
  /** Full-text search, also of sessions that `getSessions` does not show yet; those that are found are shown from then on. */
  searchSessions?(text: string, options?: SearchOptions): Promise<SearchResults>;

  createNewSession(workspace: SessionWorkspace): Promise<Session>;
  setSessionType(sessionId: string, type: string): Promise<Session>;
  getSessionTypes(sessionId: string): readonly SessionType[];
  renameChat(sessionId: string, chatUri: URI, title: string): Promise<void>;
  setModel(sessionId: string, modelId: string): Promise<void>;
  archiveSession(sessionId: string): Promise<void>;
  unarchiveSession(sessionId: string): Promise<void>;
  deleteSession(sessionId: string, options?: DeleteSessionOptions): Promise<void>;
  /** The last chat takes its session with it. */
  deleteChat(sessionId: string, chatUri: URI): Promise<void>;
  setRead(sessionId: string, read: boolean): Promise<void>;

  /** Makes a chat of the message: the first one of a new session, another one of an existing session. */
  sendAndCreateChat(sessionId: string, options: SendRequestOptions): Promise<Session>;

  /**
   * There when conversations can be shown: opens one that was sent already. Throws a SessionNotFoundError for a chat that it does
   * not have. Each call makes a model of its own, which the caller disposes.
   */
  openChat?(chatUri: URI, options?: OpenChatOptions): ChatModel;
  /**
   * A session that begins with the turns of that chat, up to the given one or all of them; with `sessionType`, of another type, which
   * the conversation is handed over to.
   */
  forkChat?(chatUri: URI, toTurnId?: string, sessionType?: string): Promise<Session>;
}
