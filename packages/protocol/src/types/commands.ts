// Generated from the schemas by `npm run schemas`. Do not edit.

import type { ActionEnvelope, ClientAction } from './actions.js';
import type { Notification } from './notifications.js';
import type { AgentLogin } from './rootState.js';
import type { SessionStatus, SessionSummary } from './sessionState.js';
import type { ToolCallState } from './toolCalls.js';
import type { ResponsePart, Turn } from './turns.js';

export interface ActionParams {
  readonly envelope: ActionEnvelope;
}

export interface AgentParams {
  readonly provider: string;
}

/** Something that a session keeps beside its conversation. */
export interface Artifact {
  readonly kind: ArtifactKind;
  /** Below the folder of its kind, with `/` between folders. */
  readonly name: string;
  /** For `fetchContent`. */
  readonly uri: string;
  /** In bytes. */
  readonly size: number;
  readonly modifiedAt: number;
  /** Shown instead of the name, if there is one. */
  readonly title?: string;
}

export type ArtifactKind = 'plan' | 'checkpoint' | 'file' | 'research';

export interface BeginLoginParams {
  readonly provider: string;
  readonly columns: number;
  readonly rows: number;
}

export interface BeginLoginResult {
  /** Names it in `sendToLogin`, `endLogin` and its notifications. */
  readonly login: string;
}

export interface BrowseDirectoryParams {
  readonly uri: string;
  /** An agent: `untrustedFolder` of the answer is for sessions of it. */
  readonly provider?: string;
  /** Also names the branches of the checkout that the folder is in. */
  readonly branches?: true;
}

export interface BrowseDirectoryResult {
  readonly entries: readonly DirectoryEntry[];
  /** The path of the folder that somebody would have to trust before a session of `provider` works here. */
  readonly untrustedFolder?: string;
  /** The folder is in a git checkout, with this branch unless HEAD is detached. Since version 2. */
  readonly checkout?: { readonly branch?: string; readonly branches?: readonly string[] };
}

export interface CheckLoginResult {
  readonly login?: AgentLogin;
}

export interface ContentRange {
  readonly offset: number;
  readonly length: number;
}

export interface CreateSessionParams {
  readonly session: string;
  readonly provider?: string;
  readonly model?: string;
  readonly workingDirectory?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** For the agent; the host passes it on unchanged. */
  readonly config?: Readonly<Record<string, unknown>>;
  /**
   * No client is told of the session, and no list has it, before its first message; without one it ends with the host.
   */
  readonly provisional?: true;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly type: 'file' | 'directory' | 'symlink';
  readonly uri: string;
  /** Of a folder that is a git checkout. */
  readonly branch?: string;
}

export interface DispatchActionParams {
  /** Counts up from 1 over the life of a `clientId`. */
  readonly clientSeq: number;
  readonly action: ClientAction;
}

export interface DisposeSessionParams {
  readonly session: string;
  /**
   * What becomes of the session's own worktree. `keep` (the default): what no commit and no other branch has stays.
   * `ask`: where there is such work the session is not deleted, and the error's `data.code` is `unmergedWork`.
   * `discard`: all of it is removed. Since version 2.
   */
  readonly worktree?: 'keep' | 'ask' | 'discard';
  /**
   * What becomes of the conversation in the agent's own store, from where a terminal continues it. `keep` is the
   * default. `delete`: it is removed too; where it can't be, the session is not deleted, and the error's `data.code` is
   * `agentCopyKept`. Since version 2.
   */
  readonly agentCopy?: 'keep' | 'delete';
}

export interface EndLoginParams {
  readonly login: string;
}

export interface FetchContentParams {
  readonly uri: string;
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

export interface FetchEventsParams {
  readonly session: string;
  /** Events after this place; from the beginning of the session if absent. */
  readonly after?: string;
  /** No events, only the place after the newest one. `after` does not count. */
  readonly newest?: true;
  readonly limit: number;
}

export interface FetchEventsResult {
  /** Oldest first, without a gap. */
  readonly items: readonly StoredEvent[];
  /** The place after the last item; absent while nothing is stored. */
  readonly cursor?: string;
  readonly hasMore: boolean;
}

export interface FetchPartsParams {
  readonly session: string;
  readonly turnId: string;
  /** Parts before this place among all parts of the turn; the newest parts if absent. */
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

export interface FetchTurnsParams {
  readonly session: string;
  readonly range: TurnsRange;
}

export interface FetchTurnsResult {
  /** Oldest first. */
  readonly turns: readonly Turn[];
  readonly hasMore: boolean;
}

export interface ForkSessionParams {
  readonly source: string;
  /** The fork's own; with another provider, the conversation is handed over to that agent. */
  readonly session: string;
  /** The last turn that the fork has; all of them if absent. */
  readonly toTurnId?: string;
  /** `group` of the fork's metadata: another chat of that session. Without it the fork is in no group. */
  readonly group?: string;
}

/**
 * A piece of a content whose id has its hash (`agent-…`, `pasted-…`); one content after the other, each from its
 * beginning.
 */
export interface ImportedContent {
  /** As in the turns. */
  readonly uri: string;
  /** Where the piece begins; 0 if absent. */
  readonly offset?: number;
  /** Base64 of at most `MAX_CONTENT_RANGE` bytes. */
  readonly data: string;
}

export interface ImportSessionParams {
  readonly session: string;
  readonly provider?: string;
  readonly title?: string;
  readonly model?: string;
  readonly workingDirectory?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /**
   * Ended turns of another session, oldest first; as many as fit into a frame. A long turn may come in pieces, one
   * after the other and with the same id, each with the next parts and with `earlierParts` saying how many came before.
   */
  readonly turns: readonly Turn[];
  /** Pieces of what turns refer to, before or with those turns. References to anything else are left out. */
  readonly contents?: readonly ImportedContent[];
  /**
   * Further turns follow in another call. The session exists after the call without it; of all the others only `turns`
   * and `contents` count.
   */
  readonly more?: true;
}

export interface ListArtifactsParams {
  readonly session: string;
  /** Only those of this kind. */
  readonly kind?: ArtifactKind;
  readonly limit?: number;
  /** From an earlier answer; the list continues after it. */
  readonly cursor?: string;
}

export interface ListArtifactsResult {
  /** The plan, then checkpoints, files and research, each by name. */
  readonly items: readonly Artifact[];
  readonly nextCursor?: string;
  /** There are more than the host looks through: some are in no page. */
  readonly isIncomplete?: true;
}

export interface ListSessionsFilter {
  readonly provider?: string;
  readonly status?: SessionStatus;
  readonly isArchived?: boolean;
  readonly isRead?: boolean;
  /** A working directory's `file:` URI, or a workspace's label. */
  readonly workspace?: string;
  /**
   * Words to find in titles, messages, answers and tool output. A session matches if it has all of them, in any place;
   * the last one may be the beginning of a word, and "words in quotes" stand next to each other.
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
   * With `filter.text`: by session, the plain text around the first match. The match stands between ⟨ and ⟩ (U+27E8,
   * U+27E9), and … stands for what is left out.
   */
  readonly snippets?: Readonly<Record<string, string>>;
}

export interface NotificationParams {
  readonly notification: Notification;
}

export type PingParams = Readonly<Record<string, never>>;

export type PingResult = Readonly<Record<string, never>>;

/** Only for the client that began the log-in. */
export interface SendToLoginParams {
  readonly login: string;
  /** What was typed. */
  readonly data?: string;
  /** The size of the terminal from now on. */
  readonly size?: { readonly columns: number; readonly rows: number };
}

export interface SetAgentKeyParams {
  readonly provider: string;
  /** Kept on the host. No answer, state, log or error holds it. */
  readonly key: string;
}

export interface SetAgentKeyResult {
  /** The vendor has accepted the key. Otherwise it could not be asked. */
  readonly isChecked: boolean;
}

export interface StoredEvent {
  /** The place after it. */
  readonly cursor: string;
  /** As it is stored: text that was written in one go is one `session/delta`. */
  readonly envelope: ActionEnvelope;
}

export interface SubscribeParams {
  readonly resource: string;
  /** How many of the newest turns the snapshot holds. */
  readonly turns?: number;
}

export interface TurnsRange {
  /** Turns older than this one; the newest if absent. */
  readonly before?: string;
  readonly limit: number;
}

export interface UnsubscribeParams {
  readonly resource: string;
}
