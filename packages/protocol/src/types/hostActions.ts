// Generated from the schemas by `npm run schemas`. Do not edit.

import type { Author, ContentRef, ErrorInfo, UsageInfo } from './common.js';
import type { TestRun } from './reviews.js';
import type { AgentInfo } from './rootState.js';
import type {
  FileChangeSummary,
  OfferedTools,
  SessionCommand,
  SessionCustomization,
  SessionMode,
  SessionSetting,
  StandingApproval,
} from './sessionState.js';
import type { ToolCallResult, ToolCallStart } from './toolCalls.js';
import type { AddedPart, PermissionRequest } from './turns.js';
import type { ChangesState } from './work.js';

/** What the agent does right now. */
export interface ActivityChangedAction {
  readonly type: 'session/activityChanged';
  readonly session: string;
  readonly at: number;
  readonly activity?: string;
}

/** Replaces the agents. */
export interface AgentsChangedAction {
  readonly type: 'root/agentsChanged';
  readonly agents: readonly AgentInfo[];
}

/** What the agent does without asking; not logged. Since version 2. */
export interface ApprovalsChangedAction {
  readonly type: 'session/approvalsChanged';
  readonly session: string;
  readonly at: number;
  readonly approvals: readonly StandingApproval[];
}

/** Replaces the state of the changes of a session. Since version 2. */
export interface ChangedAction {
  readonly type: 'changes/changed';
  readonly resource: string;
  readonly state: ChangesState;
}

/** Files changed in this session. */
export interface ChangesChangedAction {
  readonly type: 'session/changesChanged';
  readonly session: string;
  readonly at: number;
  readonly changes: readonly FileChangeSummary[];
}

/** Which clients look at the session; not logged. */
export interface ClientsChangedAction {
  readonly type: 'session/clientsChanged';
  readonly session: string;
  readonly at: number;
  readonly clients: readonly Author[];
}

/** Which clients carry out which tools for the agent; not logged. Since version 2. */
export interface ClientToolsChangedAction {
  readonly type: 'session/clientToolsChanged';
  readonly session: string;
  readonly at: number;
  readonly clientTools: readonly OfferedTools[];
}

/** Creation failed. Pending messages become turns that ended with its error; the session accepts no more. */
export interface CreationFailedAction {
  readonly type: 'session/creationFailed';
  readonly session: string;
  readonly at: number;
  readonly error: ErrorInfo;
}

/** Replaces the list, and the commands if present. */
export interface CustomizationsChangedAction {
  readonly type: 'session/customizationsChanged';
  readonly session: string;
  readonly at: number;
  readonly customizations: readonly SessionCustomization[];
  /** Absent if they have not changed. */
  readonly commands?: readonly SessionCommand[];
}

/** Appends to a `markdown` part. */
export interface DeltaAction {
  readonly type: 'session/delta';
  readonly session: string;
  readonly at: number;
  readonly turnId: string;
  readonly partId: string;
  readonly content: string;
}

/** Ends the turn with an error. */
export interface ErrorAction {
  readonly type: 'session/error';
  readonly session: string;
  readonly at: number;
  readonly turnId: string;
  readonly error: ErrorInfo;
}

/** Merged by key, `null` removes. */
export interface MetadataChangedAction {
  readonly type: 'session/metadataChanged';
  readonly session: string;
  readonly at: number;
  /** Merged by key; `null` removes the key. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The agent's mode. Since version 2. */
export interface ModeChangedAction {
  readonly type: 'session/modeChanged';
  readonly session: string;
  readonly at: number;
  /** Absent when the agent no longer has a mode. */
  readonly mode?: SessionMode;
}

/** Asks something that is not the confirmation of one call. */
export interface PermissionRequestAction {
  readonly type: 'session/permissionRequest';
  readonly session: string;
  readonly at: number;
  readonly turnId: string;
  readonly request: PermissionRequest;
}

/** Creation succeeded. */
export interface ReadyAction {
  readonly type: 'session/ready';
  readonly session: string;
  readonly at: number;
}

/** Appends to a `reasoning` part. */
export interface ReasoningAction {
  readonly type: 'session/reasoning';
  readonly session: string;
  readonly at: number;
  readonly turnId: string;
  readonly partId: string;
  readonly content: string;
}

/** Appends a part. */
export interface ResponsePartAction {
  readonly type: 'session/responsePart';
  readonly session: string;
  readonly at: number;
  readonly turnId: string;
  readonly part: AddedPart;
}

/** Replaces the settings, as the agent reports them. Since version 2. */
export interface SettingsChangedAction {
  readonly type: 'session/settingsChanged';
  readonly session: string;
  readonly at: number;
  readonly settings: readonly SessionSetting[];
}

/** A run of the tests begins, goes on, or has ended. Since version 2. */
export interface TestsChangedAction {
  readonly type: 'session/testsChanged';
  readonly session: string;
  readonly at: number;
  readonly tests: TestRun;
}

/** Ends a call. */
export interface ToolCompleteAction {
  readonly type: 'session/toolComplete';
  readonly session: string;
  readonly at: number;
  readonly turnId: string;
  readonly toolCallId: string;
  readonly result: ToolCallResult;
}

/** Announces a call, running or waiting for confirmation. */
export interface ToolStartAction {
  readonly type: 'session/toolStart';
  readonly session: string;
  readonly at: number;
  readonly turnId: string;
  readonly toolCall: ToolCallStart;
}

/** Appends live output, changes the message. */
export interface ToolUpdateAction {
  readonly type: 'session/toolUpdate';
  readonly session: string;
  readonly at: number;
  readonly turnId: string;
  readonly toolCallId: string;
  /** A chunk, appended to the live output. */
  readonly output?: string;
  /** Where the whole output can be read. */
  readonly ref?: ContentRef;
  readonly invocationMessage?: string;
  /** Whose tool it is. Since version 2. */
  readonly clientName?: string;
}

/** Removes the newest turns, so that the conversation goes on from before. Since version 2. */
export interface TruncatedAction {
  readonly type: 'session/truncated';
  readonly session: string;
  readonly at: number;
  /** How many turns remain, counted from the first of the session. */
  readonly turns: number;
}

/** Ends the turn; the next queued message starts. */
export interface TurnCompleteAction {
  readonly type: 'session/turnComplete';
  readonly session: string;
  readonly at: number;
  readonly turnId: string;
}

/** Tokens and cost of the turn so far; `contextUsed` and `contextSize` where the agent reports them. */
export interface UsageAction {
  readonly type: 'session/usage';
  readonly session: string;
  readonly at: number;
  readonly turnId: string;
  readonly usage: UsageInfo;
}
