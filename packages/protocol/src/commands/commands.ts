import type { ClientAction } from '../actions/clientActions.js';
import type { ActionEnvelope } from '../actions/envelope.js';
import type { ArtifactKind } from '../artifacts.js';
import type { Notification } from '../notifications.js';
import type { Role } from '../roles.js';
import type { RootState } from '../state/rootState.js';
import type { SessionState, SessionStatus, SessionSummary } from '../state/sessionState.js';
import type { ToolCallState } from '../state/toolCall.js';
import type { ResponsePart, Turn } from '../state/turn.js';
import type { URI } from '../uri.js';
import type { ProtocolCapabilities } from '../version/capabilities.js';
import type { SetProviderParams, SetProviderResult } from './sessionFs.js';

/** Client → host requests. */
export interface Commands {
  readonly initialize: Command<InitializeParams, InitializeResult>;
  readonly reconnect: Command<ReconnectParams, ReconnectResult>;
  readonly subscribe: Command<SubscribeParams, Snapshot>;
  readonly createSession: Command<CreateSessionParams, null>;
  readonly forkSession: Command<ForkSessionParams, null>;
  readonly importSession: Command<ImportSessionParams, null>;
  readonly disposeSession: Command<DisposeSessionParams, null>;
  readonly listSessions: Command<ListSessionsParams, ListSessionsResult>;
  readonly fetchTurns: Command<FetchTurnsParams, FetchTurnsResult>;
  readonly fetchParts: Command<FetchPartsParams, FetchPartsResult>;
  readonly fetchContent: Command<FetchContentParams, FetchContentResult>;
  readonly listArtifacts: Command<ListArtifactsParams, ListArtifactsResult>;
  readonly browseDirectory: Command<BrowseDirectoryParams, BrowseDirectoryResult>;
  readonly installAgent: Command<AgentParams, null>;
  readonly removeAgent: Command<AgentParams, null>;
  readonly 'sessionFs.setProvider': Command<SetProviderParams, SetProviderResult>;
  readonly ping: Command<PingParams, PingResult>;
}

export interface Command<Params, Result> {
  readonly params: Params;
  readonly result: Result;
}

/** Client → host notifications. */
export interface ClientNotifications {
  readonly unsubscribe: UnsubscribeParams;
  readonly dispatchAction: DispatchActionParams;
}

/** Host → client notifications. */
export interface HostNotifications {
  readonly action: ActionParams;
  readonly notification: NotificationParams;
}

export interface ClientInfo {
  readonly name: string;
  readonly version?: string;
  readonly device?: string;
}

export interface InitializeParams {
  readonly protocolVersion: number;
  readonly clientId: string;
  readonly clientInfo?: ClientInfo;
  readonly initialSubscriptions?: readonly URI[];
}

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  /** Another one after each start of the host. */
  readonly instanceId: string;
  /** The name of the machine that it runs on, for people. */
  readonly machine?: string;
}

export interface InitializeResult {
  /** The version that both sides speak from now on. */
  readonly protocolVersion: number;
  readonly serverSeq: number;
  readonly snapshots: readonly Snapshot[];
  readonly capabilities: ProtocolCapabilities;
  readonly serverInfo: ServerInfo;
  /** A `file:` URI. */
  readonly defaultDirectory?: URI;
  /** What this client may do; everything where an older host does not say. */
  readonly role?: Role;
  /** As in `ReconnectResultBase`, of the initial subscriptions. */
  readonly failed?: readonly FailedSubscription[];
}

/** A session that is there, but could not be loaded: its files could not be read right now, say. */
export interface FailedSubscription {
  readonly resource: URI;
  /** As `subscribe` would have answered. */
  readonly error: { readonly code: number; readonly message: string };
}

/** `state` is a `RootState` where `resource` is the root's URI, else a `SessionState`. */
export interface Snapshot {
  readonly resource: URI;
  readonly state: RootState | SessionState;
  /** Actions with a greater `serverSeq` follow, and no others. */
  readonly fromSeq: number;
  /**
   * Of a session: the newest of this client's `clientSeq` that it has accepted, rising. A client that counts anew continues
   * above the last of them. Absent where there are none, and where an older host does not say.
   */
  readonly recentlyAccepted?: readonly number[];
  /**
   * Of a session: another value once it was disposed and made again under its URI. What was sent to another incarnation is not
   * for this one. Absent where an older host does not say.
   */
  readonly incarnation?: string;
}

export interface ReconnectParams {
  readonly protocolVersion?: number;
  readonly clientId: string;
  readonly clientInfo?: ClientInfo;
  readonly instanceId?: string;
  readonly lastSeenServerSeq: number;
  readonly subscriptions: readonly URI[];
}

export interface ReconnectResultBase {
  readonly protocolVersion: number;
  readonly serverInfo: ServerInfo;
  readonly serverSeq: number;
  /** Subscriptions that can't be resumed: their sessions are gone. */
  readonly missing: readonly URI[];
  /**
   * Subscriptions that could not be resumed now, though their sessions are there: to be asked for again with `subscribe`. Since
   * version 2; a client of version 1 gets an error for the whole `reconnect` instead.
   */
  readonly failed?: readonly FailedSubscription[];
  /** For each session, the highest `clientSeq` of this client that the host has accepted. */
  readonly acceptedClientSeq: Readonly<Record<URI, number>>;
  /**
   * For each session, the newest of this client's `clientSeq` that the host has accepted, rising. A number between the first
   * and the last of them that is not there was refused; of those before the first it is not known.
   */
  readonly recentlyAccepted?: Readonly<Record<URI, readonly number[]>>;
  /** As in `InitializeResult`. */
  readonly role?: Role;
}

export interface ReplayResult extends ReconnectResultBase {
  readonly type: 'replay';
  readonly actions: readonly ActionEnvelope[];
}

export interface SnapshotResult extends ReconnectResultBase {
  readonly type: 'snapshot';
  readonly snapshots: readonly Snapshot[];
}

export type ReconnectResult = ReplayResult | SnapshotResult;

export interface SubscribeParams {
  readonly resource: URI;
  /** How many of the newest turns the snapshot holds. */
  readonly turns?: number;
}

export interface UnsubscribeParams {
  readonly resource: URI;
}

export interface DispatchActionParams {
  /** Counts up from 1 over the life of a `clientId`. */
  readonly clientSeq: number;
  readonly action: ClientAction;
}

export interface ActionParams {
  readonly envelope: ActionEnvelope;
}

export interface NotificationParams {
  readonly notification: Notification;
}

export interface CreateSessionParams {
  readonly session: URI;
  readonly provider?: string;
  readonly model?: string;
  readonly workingDirectory?: URI;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** For the agent; the host passes it on as it is. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Nobody is told of the session, and no list has it, before its first message; without one it ends with the host. */
  readonly provisional?: true;
}

export interface ForkSessionParams {
  readonly source: URI;
  readonly session: URI;
  /** The last turn that the fork has; all of them without it. */
  readonly toTurnId?: string;
}

export interface ImportSessionParams {
  readonly session: URI;
  readonly provider?: string;
  readonly title?: string;
  readonly model?: string;
  readonly workingDirectory?: URI;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /**
   * Ended turns of another session, oldest first; as many as fit into a frame. A long turn may come in pieces, one after the
   * other and with the same id, each with the next parts and with `earlierParts` saying how many have come before them.
   */
  readonly turns: readonly Turn[];
  /** Pieces of what turns refer to, before or with the turns that do. What is not brought is left out of them. */
  readonly contents?: readonly ImportedContent[];
  /** Further turns come in another call. The session is there after the one without it; of all the others only `turns` and `contents` count. */
  readonly more?: true;
}

/** A piece of a content whose id has its hash (`agent-…`, `pasted-…`); one content after the other, each from its beginning. */
export interface ImportedContent {
  /** As the turns have it. */
  readonly uri: URI;
  /** Where the piece begins; 0 unless told. */
  readonly offset?: number;
  /** Base64 of at most MAX_CONTENT_RANGE bytes. */
  readonly data: string;
}

export interface DisposeSessionParams {
  readonly session: URI;
}

export interface ListSessionsFilter {
  readonly provider?: string;
  readonly status?: SessionStatus;
  readonly isArchived?: boolean;
  readonly isRead?: boolean;
  /** A working directory's `file:` URI, or a workspace's label. */
  readonly workspace?: string;
  /**
   * Words to find in titles, messages, answers and tool output. A session fits that has all of them, wherever; the last
   * one may be the beginning of a word, and "words in quotes" stand next to each other.
   */
  readonly text?: string;
  readonly modifiedSince?: number;
}

export interface ListSessionsParams {
  readonly filter?: ListSessionsFilter;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface ListSessionsResult {
  readonly items: readonly SessionSummary[];
  readonly nextCursor?: string;
  readonly total: number;
  /**
   * With `filter.text`: by session, the plain text around the first place where a word was found. What was found stands
   * between ⟨ and ⟩ (U+27E8, U+27E9), and … stands for what is left out.
   */
  readonly snippets?: Readonly<Record<URI, string>>;
}

export interface TurnsRange {
  /** Turns older than this one; the newest without it. */
  readonly before?: string;
  readonly limit: number;
}

export interface FetchTurnsParams {
  readonly session: URI;
  readonly range: TurnsRange;
}

export interface FetchTurnsResult {
  /** Oldest first. */
  readonly turns: readonly Turn[];
  readonly hasMore: boolean;
}

export interface FetchPartsParams {
  readonly session: URI;
  readonly turnId: string;
  /** Parts before this place among all parts of the turn; without it, the newest parts. */
  readonly before?: number;
  readonly limit: number;
}

export interface FetchPartsResult {
  /** Oldest first, without a gap. */
  readonly parts: readonly ResponsePart[];
  /** The calls of those parts. */
  readonly toolCalls: readonly ToolCallState[];
  /** How many parts are before the first of `parts`. */
  readonly earlier: number;
}

export interface ContentRange {
  readonly offset: number;
  readonly length: number;
}

export interface FetchContentParams {
  readonly uri: URI;
  /** In bytes. */
  readonly range?: ContentRange;
}

export interface FetchContentResult {
  readonly data: string;
  readonly encoding: 'utf-8' | 'base64';
  readonly mimeType?: string;
  /** Of the whole content, in bytes. */
  readonly size: number;
}

export interface ListArtifactsParams {
  readonly session: URI;
  /** Only those of this kind. */
  readonly kind?: ArtifactKind;
  readonly limit?: number;
  /** From an earlier answer; the list goes on behind it. */
  readonly cursor?: string;
}

/** Something that a session keeps beside its conversation. */
export interface Artifact {
  readonly kind: ArtifactKind;
  /** Below the folder of its kind, with `/` between folders. */
  readonly name: string;
  /** For `fetchContent`. */
  readonly uri: URI;
  /** In bytes. */
  readonly size: number;
  readonly modifiedAt: number;
  /** What to show instead of the name, where it has a title. */
  readonly title?: string;
}

export interface ListArtifactsResult {
  /** The plan, then checkpoints, files and research, each by name. */
  readonly items: readonly Artifact[];
  readonly nextCursor?: string;
  /** There are more than the host looks through: some are in no page. */
  readonly isIncomplete?: true;
}

export interface BrowseDirectoryParams {
  readonly uri: URI;
  /** An agent: `untrustedFolder` of the answer is for sessions of it. */
  readonly provider?: string;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly type: 'file' | 'directory' | 'symlink';
  readonly uri: URI;
  /** Where a folder is a git checkout. */
  readonly branch?: string;
}

export interface BrowseDirectoryResult {
  readonly entries: readonly DirectoryEntry[];
  /** The path of the folder that somebody would have to trust before a session of `provider` works here. */
  readonly untrustedFolder?: string;
}

export interface AgentParams {
  readonly provider: string;
}

export type PingParams = Readonly<Record<string, never>>;
export type PingResult = Readonly<Record<string, never>>;
