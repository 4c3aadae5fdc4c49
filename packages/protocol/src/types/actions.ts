// Generated from the schemas by `npm run schemas`. Do not edit.

import type {
  ApprovalRevokedAction,
  CommentRemovedAction,
  CommentResolvedAction,
  CommentSetAction,
  CustomizationToggledAction,
  IsArchivedChangedAction,
  IsReadChangedAction,
  ModelChangedAction,
  PendingMessageRemovedAction,
  PendingMessageSetAction,
  PermissionResolvedAction,
  PickChangedAction,
  QueuedMessagesReorderedAction,
  SettingChosenAction,
  TitleChangedAction,
  ToolCallConfirmedAction,
  ToolInputAction,
  TurnCancelledAction,
  TurnStartedAction,
} from './clientActions.js';
import type { Author } from './common.js';
import type {
  ActivityChangedAction,
  AgentsChangedAction,
  ApprovalsChangedAction,
  ChangedAction,
  ChangesChangedAction,
  ClientsChangedAction,
  ClientToolsChangedAction,
  CreationFailedAction,
  CustomizationsChangedAction,
  DeltaAction,
  ErrorAction,
  MetadataChangedAction,
  ModeChangedAction,
  PermissionRequestAction,
  ReadyAction,
  ReasoningAction,
  ResponsePartAction,
  SettingsChangedAction,
  TestsChangedAction,
  ToolCompleteAction,
  ToolStartAction,
  ToolUpdateAction,
  TruncatedAction,
  TurnCompleteAction,
  UsageAction,
} from './hostActions.js';

export type Action =
  | TurnStartedAction
  | ToolCallConfirmedAction
  | PermissionResolvedAction
  | TurnCancelledAction
  | TitleChangedAction
  | ModelChangedAction
  | IsReadChangedAction
  | IsArchivedChangedAction
  | PendingMessageSetAction
  | PendingMessageRemovedAction
  | QueuedMessagesReorderedAction
  | CustomizationToggledAction
  | SettingChosenAction
  | ToolInputAction
  | ApprovalRevokedAction
  | CommentSetAction
  | CommentRemovedAction
  | CommentResolvedAction
  | PickChangedAction
  | ReadyAction
  | ModeChangedAction
  | CreationFailedAction
  | DeltaAction
  | ResponsePartAction
  | ReasoningAction
  | ToolStartAction
  | ToolUpdateAction
  | ToolCompleteAction
  | PermissionRequestAction
  | TurnCompleteAction
  | TruncatedAction
  | ErrorAction
  | UsageAction
  | ActivityChangedAction
  | ChangesChangedAction
  | ClientsChangedAction
  | ApprovalsChangedAction
  | ClientToolsChangedAction
  | MetadataChangedAction
  | CustomizationsChangedAction
  | TestsChangedAction
  | SettingsChangedAction
  | AgentsChangedAction
  | ChangedAction;

export interface ActionEnvelope {
  readonly action: Action;
  /** One counter for the whole host; it never goes back, not even across a restart. */
  readonly serverSeq: number;
  /** Absent when the host itself produced the action. */
  readonly origin?: ActionOrigin;
  /** Present when the host refused the action; then only its sender gets the envelope, and nothing has changed. */
  readonly rejectionReason?: string;
  /** The same for programs. Absent if an older host does not say. */
  readonly rejection?: Rejection;
  /**
   * Present when a client sent an action again that was accepted before, under this `serverSeq`. Only its sender gets
   * the envelope, and nothing has changed: every state contains the action already.
   */
  readonly repeated?: true;
}

export interface ActionOrigin {
  readonly clientId: string;
  readonly clientSeq: number;
  /** The name of the device, as its token has it; absent for the host's own token. Set by the host. */
  readonly name?: string;
}

export type ChangesAction = ChangedAction;

/** The actions that a client may dispatch. */
export type ClientAction =
  | TurnStartedAction
  | ToolCallConfirmedAction
  | PermissionResolvedAction
  | TurnCancelledAction
  | TitleChangedAction
  | ModelChangedAction
  | IsReadChangedAction
  | IsArchivedChangedAction
  | PendingMessageSetAction
  | PendingMessageRemovedAction
  | QueuedMessagesReorderedAction
  | CustomizationToggledAction
  | SettingChosenAction
  | ToolInputAction
  | ApprovalRevokedAction
  | CommentSetAction
  | CommentRemovedAction
  | CommentResolvedAction
  | PickChangedAction;

export type PendingMessageKind = 'steering' | 'queued';

/** Why the host refused an action. */
export interface Rejection {
  /** One of `REJECTION`, or one that is newer than this client. */
  readonly code: string;
  /** Who answered first, if another client's answer is the reason. */
  readonly by?: Author;
  /** What the code leaves open: the fields that are wrong, or the number to continue above. */
  readonly detail?: string;
  /** The field of a form whose value does not fit. Since version 2. */
  readonly field?: string;
}

export type RootAction = AgentsChangedAction;

export type SessionAction =
  | TurnStartedAction
  | ToolCallConfirmedAction
  | PermissionResolvedAction
  | TurnCancelledAction
  | TitleChangedAction
  | ModelChangedAction
  | IsReadChangedAction
  | IsArchivedChangedAction
  | PendingMessageSetAction
  | PendingMessageRemovedAction
  | QueuedMessagesReorderedAction
  | CustomizationToggledAction
  | SettingChosenAction
  | ToolInputAction
  | ApprovalRevokedAction
  | CommentSetAction
  | CommentRemovedAction
  | CommentResolvedAction
  | PickChangedAction
  | ReadyAction
  | ModeChangedAction
  | CreationFailedAction
  | DeltaAction
  | ResponsePartAction
  | ReasoningAction
  | ToolStartAction
  | ToolUpdateAction
  | ToolCompleteAction
  | PermissionRequestAction
  | TurnCompleteAction
  | TruncatedAction
  | ErrorAction
  | UsageAction
  | ActivityChangedAction
  | ChangesChangedAction
  | ClientsChangedAction
  | ApprovalsChangedAction
  | ClientToolsChangedAction
  | MetadataChangedAction
  | CustomizationsChangedAction
  | TestsChangedAction
  | SettingsChangedAction;
