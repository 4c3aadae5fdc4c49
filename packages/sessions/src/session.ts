import type { Observable } from '@agenthost/client';
import type { FileChangeSummary, Several } from '@agenthost/protocol';

/** A URI as text. */
export type URI = string;

/** The name of an icon; the user interface chooses the picture. */
export type IconId = string;

/** Markdown, not yet sanitised. */
export type Markdown = string;

export const SessionStatus = {
  /** Nothing was sent yet. */
  Untitled: 'untitled',
  InProgress: 'inProgress',
  NeedsInput: 'needsInput',
  Completed: 'completed',
  Error: 'error',
} as const;

export type SessionStatus = (typeof SessionStatus)[keyof typeof SessionStatus];

/** A file that the session changed. */
export type SessionFileChange = FileChangeSummary;

export interface SessionMode {
  readonly id: string;
  /** What the mode is one of, e.g. `agent` for modes of an agent's own. */
  readonly kind: string;
  /** To be shown; the id where there is none. */
  readonly name?: string;
}

export interface SessionRepository {
  /** Where the repository is: `file:`, or the address of one that is not on this machine. */
  readonly uri: URI;
  /** The worktree or checkout that the session works in. */
  readonly workingDirectory?: URI;
  /** What to show beside the name, e.g. the branch. */
  readonly detail?: string;
  readonly baseBranchName?: string;
  readonly baseBranchProtected?: boolean;
}

/** Where a session lives that several hosts share. */
export interface SessionLocation {
  /** The name of the machines that have its folder. */
  readonly place: string;
  /** The host that has it, or had it last. */
  readonly host?: string;
  /** None of these machines is there: it can be read and forked, and takes no message. */
  readonly isAway: boolean;
}

export interface SessionWorkspace {
  /** What the list groups by; empty means unknown. */
  readonly label: string;
  readonly icon: IconId;
  readonly repositories: readonly SessionRepository[];
  /** Whether the user has to trust the workspace before an agent works there; `true` also while that is not known. */
  readonly requiresWorkspaceTrust: boolean;
  /** Only where several hosts share their sessions. */
  readonly location?: SessionLocation;
}

export interface GitHubPullRequest {
  readonly number: number;
  readonly uri: URI;
  readonly icon?: IconId;
}

export interface GitHubInfo {
  readonly owner: string;
  readonly repo: string;
  readonly pullRequest?: GitHubPullRequest;
}

/** One conversation of a session. */
export interface Chat {
  readonly resource: URI;
  readonly createdAt: Date;
  readonly title: Observable<string>;
  readonly updatedAt: Observable<Date>;
  readonly status: Observable<SessionStatus>;
  readonly changes: Observable<readonly SessionFileChange[]>;
  readonly modelId: Observable<string | undefined>;
  readonly mode: Observable<SessionMode | undefined>;
  readonly isArchived: Observable<boolean>;
  readonly isRead: Observable<boolean>;
  readonly description: Observable<Markdown | undefined>;
  readonly lastTurnEnd: Observable<Date | undefined>;
}

export interface SessionCapabilities {
  readonly supportsMultipleChats: boolean;
}

/**
 * A session of any provider: all that a user interface needs to show it. It has one or
 * more chats; its fields are those of the first, but for what `sessionOfChats` says.
 */
export interface Session {
  /** `${providerId}:${localId}`, unique over all providers; actions find their provider by it. */
  readonly sessionId: string;
  readonly resource: URI;
  readonly providerId: string;
  readonly sessionType: string;
  readonly icon: IconId;
  readonly createdAt: Date;
  readonly capabilities: SessionCapabilities;
  readonly workspace: Observable<SessionWorkspace | undefined>;
  readonly title: Observable<string>;
  readonly updatedAt: Observable<Date>;
  readonly status: Observable<SessionStatus>;
  readonly changes: Observable<readonly SessionFileChange[]>;
  readonly modelId: Observable<string | undefined>;
  readonly mode: Observable<SessionMode | undefined>;
  /** Being made, or not all there yet. */
  readonly loading: Observable<boolean>;
  readonly isArchived: Observable<boolean>;
  readonly isRead: Observable<boolean>;
  /** What goes on, e.g. what the agent does right now. */
  readonly description: Observable<Markdown | undefined>;
  readonly lastTurnEnd: Observable<Date | undefined>;
  readonly gitHubInfo: Observable<GitHubInfo | undefined>;
  /** The sessions that got the same prompt as this one. Absent where there is no such thing. */
  readonly several?: Observable<Several | undefined>;
  /** Never empty; the first one is `mainChat`. */
  readonly chats: Observable<readonly Chat[]>;
  readonly mainChat: Chat;
}
