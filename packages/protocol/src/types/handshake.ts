// Generated from the schemas by `npm run schemas`. Do not edit.

import type { ActionEnvelope } from './actions.js';
import type { RootState } from './rootState.js';
import type { SessionState } from './sessionState.js';
import type { ChangesState } from './work.js';

export interface ClientInfo {
  readonly name: string;
  readonly version?: string;
  readonly device?: string;
}

/** `error.data` of any other error, where the host has more to say than its code and message. */
export interface ErrorData {
  /** A closer reason for programs; `diskFull` where the host's disk or quota is used up. */
  readonly code?: string;
  /** Ready to display. */
  readonly whatToDo?: string;
  /** The first files that it is about, such as those that conflict. */
  readonly paths?: readonly string[];
}

/** A session that exists, but could not be loaded: its files can't be read right now, say. */
export interface FailedSubscription {
  readonly resource: string;
  /** As `subscribe` would have answered. */
  readonly error: { readonly code: number; readonly message: string };
}

export interface InitializeParams {
  readonly protocolVersion: number;
  readonly clientId: string;
  readonly clientInfo?: ClientInfo;
  readonly initialSubscriptions?: readonly string[];
  /**
   * Notifications of changed and added sessions are only for the newest so many, and for those that this client has
   * subscribed to. Without it, and from an older host, for all.
   */
  readonly watch?: { readonly limit: number };
}

export interface InitializeResult {
  /** The version that both sides speak from now on. */
  readonly protocolVersion: number;
  readonly serverSeq: number;
  readonly snapshots: readonly Snapshot[];
  readonly capabilities: ProtocolCapabilities;
  readonly serverInfo: ServerInfo;
  /** A `file:` URI. */
  readonly defaultDirectory?: string;
  /** What this client may do; everything, if an older host does not say. */
  readonly role?: Role;
  /** For a client that came with a read-only link: all that it can see. */
  readonly shared?: SharedSession;
  /**
   * Subscriptions that could not be resumed now, though their sessions exist: to be asked for again with `subscribe`.
   * Since version 2; a client of version 1 gets an error for the whole request instead.
   */
  readonly failed?: readonly FailedSubscription[];
}

/** What a version of the protocol can do. A client looks here before it uses a feature. */
export interface ProtocolCapabilities {
  readonly sessions: true;
  readonly tools: true;
  readonly permissions: true;
  readonly reasoning?: true;
  readonly toolUpdates?: true;
  readonly pendingMessages?: true;
  readonly customizations?: true;
  readonly contentReferences?: true;
  readonly fork?: true;
  readonly agentInstallation?: true;
  readonly modes?: true;
  readonly settings?: true;
  /** Parts that are no longer in a turn's state can be fetched. */
  readonly earlierParts?: true;
  /** `initialize` and `reconnect` say in `failed` which sessions could not be loaded. */
  readonly failedSubscriptions?: true;
  /** Devices can be listed, paired and revoked. */
  readonly devices?: true;
  /** Agents have a log-in state, and owners can log in. */
  readonly logins?: true;
  /** A session can be forked for another agent. */
  readonly handOver?: true;
  /** Owners see conversations that were begun in a terminal, and can continue them. */
  readonly nativeSessions?: true;
  /** Clients can offer tools to the agent of a session. */
  readonly clientTools?: true;
  /** Changes of the session's folder can be listed, compared and taken back. */
  readonly changes?: true;
  readonly sessionFs?: true;
  readonly artifacts?: true;
  readonly import?: true;
}

export interface ReconnectParams {
  readonly protocolVersion?: number;
  readonly clientId: string;
  readonly clientInfo?: ClientInfo;
  readonly instanceId?: string;
  readonly lastSeenServerSeq: number;
  readonly subscriptions: readonly string[];
  /**
   * Notifications of changed and added sessions are only for the newest so many, and for those that this client has
   * subscribed to. Without it, and from an older host, for all.
   */
  readonly watch?: { readonly limit: number };
}

export type ReconnectResult = ReplayResult | SnapshotResult;

export interface ReplayResult {
  readonly type: 'replay';
  readonly protocolVersion: number;
  readonly serverInfo: ServerInfo;
  readonly serverSeq: number;
  /** Subscriptions that can't be resumed: their sessions are gone. */
  readonly missing: readonly string[];
  /**
   * Subscriptions that could not be resumed now, though their sessions exist: to be asked for again with `subscribe`.
   * Since version 2; a client of version 1 gets an error for the whole request instead.
   */
  readonly failed?: readonly FailedSubscription[];
  /** For each session, the highest accepted `clientSeq` of this client. */
  readonly acceptedClientSeq: Readonly<Record<string, number>>;
  /**
   * For each session, the newest accepted `clientSeq` of this client, rising. A number between the first and the last
   * of them that is absent was refused; of those before the first it is not known.
   */
  readonly recentlyAccepted?: Readonly<Record<string, readonly number[]>>;
  /** As in `InitializeResult`. */
  readonly role?: Role;
  /** As in `InitializeResult`. */
  readonly shared?: SharedSession;
  readonly actions: readonly ActionEnvelope[];
}

/** What a token allows. Each role includes the ones before it. */
export type Role = 'viewer' | 'approver' | 'driver' | 'owner';

/** `error.data` of a command that the role does not allow. */
export interface RoleRefusedData {
  readonly role: Role;
  /** The least role that would do. */
  readonly needs: Role;
}

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  /** Another one after each start of the host. */
  readonly instanceId: string;
  /** The name of the machine that it runs on, for people. */
  readonly machine?: string;
  /** Names the hosts that share their sessions: any of them serves any client. Absent for a host of its own. */
  readonly cluster?: string;
  /** The name of the machines that see the same folders, where several hosts share their sessions. */
  readonly place?: string;
}

/** What a read-only link shows: one session, until its end. Since version 2. */
export interface SharedSession {
  readonly session: string;
  /** When the link ends. */
  readonly endsAt: number;
}

/**
 * `state` is a `RootState` where `resource` is the root's URI, a `ChangesState` where it is that of the changes of a
 * session, else a `SessionState`.
 */
export interface Snapshot {
  readonly resource: string;
  readonly state: SessionState | RootState | ChangesState;
  /** Actions with a greater `serverSeq` follow, and no others. */
  readonly fromSeq: number;
  /**
   * Of a session: the newest accepted `clientSeq` of this client, rising. A client that restarts its count continues
   * above the last of them. Absent if there are none, and from an older host.
   */
  readonly recentlyAccepted?: readonly number[];
  /**
   * Of a session: another value once it was disposed and made again under its URI. What was sent to another incarnation
   * is not for this one. Absent from an older host.
   */
  readonly incarnation?: string;
}

export interface SnapshotResult {
  readonly type: 'snapshot';
  readonly protocolVersion: number;
  readonly serverInfo: ServerInfo;
  readonly serverSeq: number;
  /** Subscriptions that can't be resumed: their sessions are gone. */
  readonly missing: readonly string[];
  /**
   * Subscriptions that could not be resumed now, though their sessions exist: to be asked for again with `subscribe`.
   * Since version 2; a client of version 1 gets an error for the whole request instead.
   */
  readonly failed?: readonly FailedSubscription[];
  /** For each session, the highest accepted `clientSeq` of this client. */
  readonly acceptedClientSeq: Readonly<Record<string, number>>;
  /**
   * For each session, the newest accepted `clientSeq` of this client, rising. A number between the first and the last
   * of them that is absent was refused; of those before the first it is not known.
   */
  readonly recentlyAccepted?: Readonly<Record<string, readonly number[]>>;
  /** As in `InitializeResult`. */
  readonly role?: Role;
  /** As in `InitializeResult`. */
  readonly shared?: SharedSession;
  readonly snapshots: readonly Snapshot[];
}

/** `error.data` of `unsupportedProtocolVersion`. */
export interface UnsupportedProtocolVersionData {
  readonly supportedVersions: readonly number[];
}
