/**
 * Version 1 of the protocol as it was frozen: every type that crosses the wire, and nothing imported from the living ones.
 * Never edit it. `version/compatibility.ts` holds the living types against it; a change that fails there needs a new
 * version with a file of its own beside this one. One file on purpose, however long: a frozen version is read as a whole.
 */

type URI = string;

interface Author {
  readonly clientId: string;
  readonly name?: string;
  readonly device?: string;
}

interface ErrorInfo {
  readonly errorType: string;
  readonly message: string;
  readonly stack?: string;
}

interface UsageInfo {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly model?: string;
  readonly cost?: number;
}

interface ContentRef {
  readonly uri: URI;
  readonly sizeHint?: number;
  readonly mimeType?: string;
}

interface TextPosition {
  readonly line: number;
  readonly character: number;
}

interface TextRange {
  readonly start: TextPosition;
  readonly end: TextPosition;
}

interface RootState {
  readonly agents: readonly AgentInfo[];
}

interface AgentInfo {
  readonly provider: string;
  readonly displayName: string;
  readonly description: string;
  readonly models: readonly ModelInfo[];
  readonly supportsMultipleChats?: boolean;
  readonly availability: AgentAvailability;
}

type AgentAvailability = AvailableAgent | UnavailableAgent | InstallingAgent;

interface AvailableAgent {
  readonly state: 'available';
  readonly version?: string;
}

interface UnavailableAgent {
  readonly state: 'unavailable';
  readonly reason: string;
  readonly howToFix: string;
  readonly installable?: InstallableAgent;
}

interface InstallableAgent {
  readonly sizeHint?: number;
}

interface InstallingAgent {
  readonly state: 'installing';
}

interface ModelInfo {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly maxContextWindow?: number;
  readonly supportsVision?: boolean;
  readonly policyState?: string;
}

interface ToolCallBase {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly invocationMessage: string;
  readonly toolKind?: 'terminal';
  readonly language?: string;
  readonly toolInput?: string;
}

interface ConfirmationOption {
  readonly id: string;
  readonly label: string;
  readonly kind: 'approve' | 'deny';
}

interface ToolConfirmation {
  readonly title?: string;
  readonly options?: readonly ConfirmationOption[];
  readonly editable?: boolean;
}

interface ToolConfirmed {
  readonly how: 'user' | 'policy' | 'notNeeded';
  readonly by?: Author;
  readonly optionId?: string;
}

interface ToolOutput {
  readonly text: string;
  readonly truncated?: boolean;
  readonly omitted?: number;
  readonly ref?: ContentRef;
}

interface ToolError {
  readonly message: string;
  readonly code?: string;
}

interface ToolCallResult {
  readonly success: boolean;
  readonly pastTenseMessage: string;
  readonly toolOutput?: string;
  readonly content?: readonly ToolResultContent[];
  readonly exitCode?: number;
  readonly error?: ToolError;
}

type ToolResultContent = TextResultContent | RefResultContent | FileEditResultContent;

interface TextResultContent {
  readonly type: 'text';
  readonly text: string;
}

interface RefResultContent {
  readonly type: 'contentRef';
  readonly ref: ContentRef;
}

interface FileEditResultContent {
  readonly type: 'fileEdit';
  readonly uri: URI;
  readonly insertions: number;
  readonly deletions: number;
  readonly diff?: string;
  readonly before?: ContentRef;
  readonly after?: ContentRef;
}

interface PendingToolCall extends ToolCallBase {
  readonly status: 'pendingConfirmation';
  readonly confirmation: ToolConfirmation;
  readonly startedAt: number;
}

interface RunningToolCall extends ToolCallBase {
  readonly status: 'running';
  readonly confirmed: ToolConfirmed;
  readonly output?: ToolOutput;
  readonly startedAt: number;
}

interface FinishedToolCall extends ToolCallBase {
  readonly status: 'completed';
  readonly confirmed: ToolConfirmed;
  readonly output?: ToolOutput;
  readonly result: ToolCallResult;
  readonly startedAt: number;
  readonly endedAt: number;
}

interface CancelledToolCall extends ToolCallBase {
  readonly status: 'cancelled';
  readonly cancelled: 'denied' | 'turnEnded';
  readonly confirmed?: ToolConfirmed;
  readonly reason?: string;
  readonly output?: ToolOutput;
  readonly startedAt: number;
  readonly endedAt: number;
}

type ToolCallState = PendingToolCall | RunningToolCall | FinishedToolCall | CancelledToolCall;

type CompletedToolCall = FinishedToolCall | CancelledToolCall;

type ToolCallStart = PendingToolCallStart | RunningToolCallStart;

interface PendingToolCallStart extends ToolCallBase {
  readonly status: 'pendingConfirmation';
  readonly confirmation: ToolConfirmation;
}

interface RunningToolCallStart extends ToolCallBase {
  readonly status: 'running';
  readonly confirmed: ToolConfirmed;
}

interface UserMessage {
  readonly text: string;
  readonly attachments?: readonly Attachment[];
}

interface Attachment {
  readonly kind: 'file' | 'directory' | 'selection' | 'image' | 'text';
  readonly label: string;
  readonly uri?: URI;
  readonly data?: string;
  readonly mimeType?: string;
  readonly range?: TextRange;
}

interface MarkdownPart {
  readonly kind: 'markdown';
  readonly id: string;
  readonly content: string;
}

interface ReasoningPart {
  readonly kind: 'reasoning';
  readonly id: string;
  readonly content: string;
}

interface ContentRefPart {
  readonly kind: 'contentRef';
  readonly id: string;
  readonly ref: ContentRef;
}

interface ToolCallPart {
  readonly kind: 'toolCall';
  readonly toolCallId: string;
}

interface SteeringPart {
  readonly kind: 'steering';
  readonly id: string;
  readonly userMessage: UserMessage;
  readonly by?: Author;
}

interface NoticePart {
  readonly kind: 'notice';
  readonly id: string;
  readonly text: string;
  readonly severity: 'info' | 'warning' | 'error';
}

type AddedPart = MarkdownPart | ReasoningPart | ContentRefPart | SteeringPart | NoticePart;

type ResponsePart = AddedPart | ToolCallPart;

interface PermissionRequest {
  readonly requestId: string;
  readonly kind: 'permission' | 'question';
  readonly title: string;
  readonly message: string;
  readonly toolCallId?: string;
  readonly options?: readonly PermissionOption[];
  readonly allowText?: boolean;
}

interface PermissionOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly kind?: 'approve' | 'deny';
}

interface ActiveTurn {
  readonly id: string;
  readonly userMessage: UserMessage;
  readonly by?: Author;
  readonly responseParts: readonly ResponsePart[];
  readonly toolCalls: Readonly<Record<string, ToolCallState>>;
  readonly pendingPermissions: Readonly<Record<string, PermissionRequest>>;
  readonly usage?: UsageInfo;
  readonly startedAt: number;
}

interface Turn {
  readonly id: string;
  readonly userMessage: UserMessage;
  readonly by?: Author;
  readonly responseParts: readonly ResponsePart[];
  readonly toolCalls: readonly CompletedToolCall[];
  readonly usage?: UsageInfo;
  readonly state: 'complete' | 'cancelled' | 'error';
  readonly error?: ErrorInfo;
  readonly startedAt: number;
  readonly endedAt: number;
}

interface SessionState {
  readonly summary: SessionSummary;
  readonly lifecycle: 'creating' | 'ready' | 'creationFailed';
  readonly creationError?: ErrorInfo;
  readonly turns: readonly Turn[];
  readonly earlierTurns?: number;
  readonly activeTurn?: ActiveTurn;
  readonly steeringMessage?: PendingMessage;
  readonly queuedMessages?: readonly PendingMessage[];
  readonly customizations?: readonly SessionCustomization[];
  readonly clients?: readonly Author[];
}

type SessionStatus = 'idle' | 'inProgress' | 'inputNeeded' | 'error';

interface SessionSummary {
  readonly resource: URI;
  readonly provider: string;
  readonly title: string;
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly status: SessionStatus;
  readonly isRead: boolean;
  readonly isArchived: boolean;
  readonly activity?: string;
  readonly model?: string;
  readonly workingDirectory?: URI;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly changes?: readonly FileChangeSummary[];
}

interface FileChangeSummary {
  readonly uri: URI;
  readonly insertions: number;
  readonly deletions: number;
}

interface PendingMessage {
  readonly id: string;
  readonly userMessage: UserMessage;
  readonly by?: Author;
}

interface SessionCustomization {
  readonly customization: Customization;
  readonly enabled: boolean;
  readonly status?: 'loading' | 'loaded' | 'degraded' | 'error';
  readonly statusMessage?: string;
}

interface Customization {
  readonly uri: URI;
  readonly displayName: string;
  readonly description?: string;
  readonly kind: 'instructions' | 'skill' | 'agent' | 'mcpServer' | 'plugin';
}

interface AgentsChangedAction {
  readonly type: 'root/agentsChanged';
  readonly agents: readonly AgentInfo[];
}

type RootAction = AgentsChangedAction;

interface SessionActionBase {
  readonly session: URI;
  readonly at: number;
}

interface ClientActionBase extends SessionActionBase {
  readonly by?: Author;
}

interface ReadyAction extends SessionActionBase {
  readonly type: 'session/ready';
}

interface CreationFailedAction extends SessionActionBase {
  readonly type: 'session/creationFailed';
  readonly error: ErrorInfo;
}

interface TurnStartedAction extends ClientActionBase {
  readonly type: 'session/turnStarted';
  readonly turnId: string;
  readonly userMessage: UserMessage;
  readonly queuedMessageId?: string;
}

interface DeltaAction extends SessionActionBase {
  readonly type: 'session/delta';
  readonly turnId: string;
  readonly partId: string;
  readonly content: string;
}

interface ResponsePartAction extends SessionActionBase {
  readonly type: 'session/responsePart';
  readonly turnId: string;
  readonly part: AddedPart;
}

interface ReasoningAction extends SessionActionBase {
  readonly type: 'session/reasoning';
  readonly turnId: string;
  readonly partId: string;
  readonly content: string;
}

interface ToolStartAction extends SessionActionBase {
  readonly type: 'session/toolStart';
  readonly turnId: string;
  readonly toolCall: ToolCallStart;
}

interface ToolUpdateAction extends SessionActionBase {
  readonly type: 'session/toolUpdate';
  readonly turnId: string;
  readonly toolCallId: string;
  readonly output?: string;
  readonly ref?: ContentRef;
  readonly invocationMessage?: string;
}

interface ToolCallConfirmedAction extends ClientActionBase {
  readonly type: 'session/toolCallConfirmed';
  readonly turnId: string;
  readonly toolCallId: string;
  readonly approved: boolean;
  readonly optionId?: string;
  readonly editedToolInput?: string;
  readonly reason?: string;
}

interface ToolCompleteAction extends SessionActionBase {
  readonly type: 'session/toolComplete';
  readonly turnId: string;
  readonly toolCallId: string;
  readonly result: ToolCallResult;
}

interface PermissionRequestAction extends SessionActionBase {
  readonly type: 'session/permissionRequest';
  readonly turnId: string;
  readonly request: PermissionRequest;
}

interface PermissionResolvedAction extends ClientActionBase {
  readonly type: 'session/permissionResolved';
  readonly turnId: string;
  readonly requestId: string;
  readonly approved: boolean;
  readonly optionId?: string;
  readonly text?: string;
}

interface TurnCompleteAction extends SessionActionBase {
  readonly type: 'session/turnComplete';
  readonly turnId: string;
}

interface TurnCancelledAction extends ClientActionBase {
  readonly type: 'session/turnCancelled';
  readonly turnId: string;
}

interface ErrorAction extends SessionActionBase {
  readonly type: 'session/error';
  readonly turnId: string;
  readonly error: ErrorInfo;
}

interface TitleChangedAction extends ClientActionBase {
  readonly type: 'session/titleChanged';
  readonly title: string;
}

interface UsageAction extends SessionActionBase {
  readonly type: 'session/usage';
  readonly turnId: string;
  readonly usage: UsageInfo;
}

interface ModelChangedAction extends ClientActionBase {
  readonly type: 'session/modelChanged';
  readonly model: string;
}

interface IsReadChangedAction extends ClientActionBase {
  readonly type: 'session/isReadChanged';
  readonly isRead: boolean;
}

interface IsArchivedChangedAction extends ClientActionBase {
  readonly type: 'session/isArchivedChanged';
  readonly isArchived: boolean;
}

interface ActivityChangedAction extends SessionActionBase {
  readonly type: 'session/activityChanged';
  readonly activity?: string;
}

interface ChangesChangedAction extends SessionActionBase {
  readonly type: 'session/changesChanged';
  readonly changes: readonly FileChangeSummary[];
}

interface ClientsChangedAction extends SessionActionBase {
  readonly type: 'session/clientsChanged';
  readonly clients: readonly Author[];
}

interface MetadataChangedAction extends SessionActionBase {
  readonly type: 'session/metadataChanged';
  readonly metadata: Readonly<Record<string, unknown>>;
}

type PendingMessageKind = 'steering' | 'queued';

interface PendingMessageSetAction extends ClientActionBase {
  readonly type: 'session/pendingMessageSet';
  readonly kind: PendingMessageKind;
  readonly id: string;
  readonly userMessage: UserMessage;
}

interface PendingMessageRemovedAction extends ClientActionBase {
  readonly type: 'session/pendingMessageRemoved';
  readonly kind: PendingMessageKind;
  readonly id: string;
}

interface QueuedMessagesReorderedAction extends ClientActionBase {
  readonly type: 'session/queuedMessagesReordered';
  readonly order: readonly string[];
}

interface CustomizationsChangedAction extends SessionActionBase {
  readonly type: 'session/customizationsChanged';
  readonly customizations: readonly SessionCustomization[];
}

interface CustomizationToggledAction extends ClientActionBase {
  readonly type: 'session/customizationToggled';
  readonly uri: URI;
  readonly enabled: boolean;
}

type SessionAction =
  | ReadyAction
  | CreationFailedAction
  | TurnStartedAction
  | DeltaAction
  | ResponsePartAction
  | ReasoningAction
  | ToolStartAction
  | ToolUpdateAction
  | ToolCallConfirmedAction
  | ToolCompleteAction
  | PermissionRequestAction
  | PermissionResolvedAction
  | TurnCompleteAction
  | TurnCancelledAction
  | ErrorAction
  | TitleChangedAction
  | UsageAction
  | ModelChangedAction
  | IsReadChangedAction
  | IsArchivedChangedAction
  | ActivityChangedAction
  | ChangesChangedAction
  | ClientsChangedAction
  | MetadataChangedAction
  | PendingMessageSetAction
  | PendingMessageRemovedAction
  | QueuedMessagesReorderedAction
  | CustomizationsChangedAction
  | CustomizationToggledAction;

type Action = RootAction | SessionAction;

interface ActionOrigin {
  readonly clientId: string;
  readonly clientSeq: number;
}

interface ActionEnvelope {
  readonly action: Action;
  readonly serverSeq: number;
  readonly origin?: ActionOrigin;
  readonly rejectionReason?: string;
}

type ClientAction =
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
  | CustomizationToggledAction;

type Notification =
  | SessionAddedNotification
  | SessionRemovedNotification
  | SessionSummaryChangedNotification
  | ProgressNotification;

interface SessionAddedNotification {
  readonly type: 'notify/sessionAdded';
  readonly summary: SessionSummary;
}

interface SessionRemovedNotification {
  readonly type: 'notify/sessionRemoved';
  readonly session: URI;
}

interface SessionSummaryChangedNotification {
  readonly type: 'notify/sessionSummaryChanged';
  readonly session: URI;
  readonly changes: SessionSummaryChanges;
}

interface SessionSummaryChanges {
  readonly title?: string;
  readonly modifiedAt?: number;
  readonly status?: SessionStatus;
  readonly isRead?: boolean;
  readonly isArchived?: boolean;
  readonly activity?: string | null;
  readonly model?: string | null;
  readonly workingDirectory?: URI | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly changes?: readonly FileChangeSummary[] | null;
}

interface ProgressNotification {
  readonly type: 'notify/progress';
  readonly token: string;
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
}

interface ProtocolCapabilities {
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
  readonly sessionFs?: true;
}

interface SetProviderParams {
  readonly initialCwd: string;
  readonly sessionStatePath: string;
  readonly conventions: 'posix' | 'windows';
}

interface SetProviderResult {
  readonly success: true;
}

type SessionFsEncoding = 'utf-8' | 'base64';

interface SessionFsError {
  readonly code: string;
  readonly message: string;
}

type SessionFsOutcome = SessionFsError | null;

interface SessionFsPathParams {
  readonly sessionId: string;
  readonly path: string;
}

interface ReadFileParams extends SessionFsPathParams {
  readonly encoding?: SessionFsEncoding;
}

interface ReadFileResult {
  readonly content: string;
  readonly error?: SessionFsError;
}

interface WriteFileParams extends SessionFsPathParams {
  readonly content: string;
  readonly mode?: number;
  readonly encoding?: SessionFsEncoding;
}

interface ExistsResult {
  readonly exists: boolean;
}

interface StatResult {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly size: number;
  readonly mtime: string;
  readonly birthtime: string;
  readonly error?: SessionFsError;
}

interface MkdirParams extends SessionFsPathParams {
  readonly recursive?: boolean;
  readonly mode?: number;
}

interface ReaddirResult {
  readonly entries: readonly string[];
  readonly error?: SessionFsError;
}

interface ReaddirWithTypesResult {
  readonly entries: readonly SessionFsEntry[];
  readonly error?: SessionFsError;
}

interface SessionFsEntry {
  readonly name: string;
  readonly type: 'file' | 'directory';
}

interface RmParams extends SessionFsPathParams {
  readonly recursive?: boolean;
  readonly force?: boolean;
}

interface RenameParams {
  readonly sessionId: string;
  readonly src: string;
  readonly dest: string;
}

interface ClientInfo {
  readonly name: string;
  readonly version?: string;
  readonly device?: string;
}

interface InitializeParams {
  readonly protocolVersion: number;
  readonly clientId: string;
  readonly clientInfo?: ClientInfo;
  readonly initialSubscriptions?: readonly URI[];
}

interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly instanceId: string;
}

interface InitializeResult {
  readonly protocolVersion: number;
  readonly serverSeq: number;
  readonly snapshots: readonly Snapshot[];
  readonly capabilities: ProtocolCapabilities;
  readonly serverInfo: ServerInfo;
  readonly defaultDirectory?: URI;
}

interface Snapshot {
  readonly resource: URI;
  readonly state: RootState | SessionState;
  readonly fromSeq: number;
}

interface ReconnectParams {
  readonly protocolVersion?: number;
  readonly clientId: string;
  readonly clientInfo?: ClientInfo;
  readonly instanceId?: string;
  readonly lastSeenServerSeq: number;
  readonly subscriptions: readonly URI[];
}

interface ReconnectResultBase {
  readonly protocolVersion: number;
  readonly serverInfo: ServerInfo;
  readonly serverSeq: number;
  readonly missing: readonly URI[];
  readonly acceptedClientSeq: Readonly<Record<URI, number>>;
}

interface ReplayResult extends ReconnectResultBase {
  readonly type: 'replay';
  readonly actions: readonly ActionEnvelope[];
}

interface SnapshotResult extends ReconnectResultBase {
  readonly type: 'snapshot';
  readonly snapshots: readonly Snapshot[];
}

type ReconnectResult = ReplayResult | SnapshotResult;

interface SubscribeParams {
  readonly resource: URI;
  readonly turns?: number;
}

interface UnsubscribeParams {
  readonly resource: URI;
}

interface DispatchActionParams {
  readonly clientSeq: number;
  readonly action: ClientAction;
}

interface ActionParams {
  readonly envelope: ActionEnvelope;
}

interface NotificationParams {
  readonly notification: Notification;
}

interface CreateSessionParams {
  readonly session: URI;
  readonly provider?: string;
  readonly model?: string;
  readonly workingDirectory?: URI;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
}

interface ForkSessionParams {
  readonly source: URI;
  readonly session: URI;
  readonly toTurnId?: string;
}

interface DisposeSessionParams {
  readonly session: URI;
}

interface ListSessionsFilter {
  readonly provider?: string;
  readonly status?: SessionStatus;
  readonly isArchived?: boolean;
  readonly isRead?: boolean;
  readonly workspace?: string;
  readonly text?: string;
  readonly modifiedSince?: number;
}

interface ListSessionsParams {
  readonly filter?: ListSessionsFilter;
  readonly limit?: number;
  readonly cursor?: string;
}

interface ListSessionsResult {
  readonly items: readonly SessionSummary[];
  readonly nextCursor?: string;
  readonly total: number;
}

interface TurnsRange {
  readonly before?: string;
  readonly limit: number;
}

interface FetchTurnsParams {
  readonly session: URI;
  readonly range: TurnsRange;
}

interface FetchTurnsResult {
  readonly turns: readonly Turn[];
  readonly hasMore: boolean;
}

interface ContentRange {
  readonly offset: number;
  readonly length: number;
}

interface FetchContentParams {
  readonly uri: URI;
  readonly range?: ContentRange;
}

interface FetchContentResult {
  readonly data: string;
  readonly encoding: 'utf-8' | 'base64';
  readonly mimeType?: string;
  readonly size: number;
}

interface BrowseDirectoryParams {
  readonly uri: URI;
}

interface DirectoryEntry {
  readonly name: string;
  readonly type: 'file' | 'directory' | 'symlink';
  readonly uri: URI;
  readonly branch?: string;
}

interface BrowseDirectoryResult {
  readonly entries: readonly DirectoryEntry[];
}

interface AgentParams {
  readonly provider: string;
}

type PingParams = Readonly<Record<string, never>>;

type PingResult = Readonly<Record<string, never>>;

interface UnsupportedProtocolVersionData {
  readonly supportedVersions: readonly number[];
}

/** By name, as in the living `WireTypes`. */
export interface WireTypesV1 {
  Author: Author;
  ErrorInfo: ErrorInfo;
  UsageInfo: UsageInfo;
  ContentRef: ContentRef;
  TextPosition: TextPosition;
  TextRange: TextRange;
  RootState: RootState;
  AgentInfo: AgentInfo;
  AgentAvailability: AgentAvailability;
  AvailableAgent: AvailableAgent;
  UnavailableAgent: UnavailableAgent;
  InstallableAgent: InstallableAgent;
  InstallingAgent: InstallingAgent;
  ModelInfo: ModelInfo;
  ConfirmationOption: ConfirmationOption;
  ToolConfirmation: ToolConfirmation;
  ToolConfirmed: ToolConfirmed;
  ToolOutput: ToolOutput;
  ToolError: ToolError;
  ToolCallResult: ToolCallResult;
  ToolResultContent: ToolResultContent;
  TextResultContent: TextResultContent;
  RefResultContent: RefResultContent;
  FileEditResultContent: FileEditResultContent;
  PendingToolCall: PendingToolCall;
  RunningToolCall: RunningToolCall;
  FinishedToolCall: FinishedToolCall;
  CancelledToolCall: CancelledToolCall;
  ToolCallState: ToolCallState;
  CompletedToolCall: CompletedToolCall;
  ToolCallStart: ToolCallStart;
  PendingToolCallStart: PendingToolCallStart;
  RunningToolCallStart: RunningToolCallStart;
  UserMessage: UserMessage;
  Attachment: Attachment;
  MarkdownPart: MarkdownPart;
  ReasoningPart: ReasoningPart;
  ContentRefPart: ContentRefPart;
  ToolCallPart: ToolCallPart;
  SteeringPart: SteeringPart;
  NoticePart: NoticePart;
  AddedPart: AddedPart;
  ResponsePart: ResponsePart;
  PermissionRequest: PermissionRequest;
  PermissionOption: PermissionOption;
  ActiveTurn: ActiveTurn;
  Turn: Turn;
  SessionState: SessionState;
  SessionStatus: SessionStatus;
  SessionSummary: SessionSummary;
  FileChangeSummary: FileChangeSummary;
  PendingMessage: PendingMessage;
  SessionCustomization: SessionCustomization;
  Customization: Customization;
  AgentsChangedAction: AgentsChangedAction;
  RootAction: RootAction;
  ReadyAction: ReadyAction;
  CreationFailedAction: CreationFailedAction;
  TurnStartedAction: TurnStartedAction;
  DeltaAction: DeltaAction;
  ResponsePartAction: ResponsePartAction;
  ReasoningAction: ReasoningAction;
  ToolStartAction: ToolStartAction;
  ToolUpdateAction: ToolUpdateAction;
  ToolCallConfirmedAction: ToolCallConfirmedAction;
  ToolCompleteAction: ToolCompleteAction;
  PermissionRequestAction: PermissionRequestAction;
  PermissionResolvedAction: PermissionResolvedAction;
  TurnCompleteAction: TurnCompleteAction;
  TurnCancelledAction: TurnCancelledAction;
  ErrorAction: ErrorAction;
  TitleChangedAction: TitleChangedAction;
  UsageAction: UsageAction;
  ModelChangedAction: ModelChangedAction;
  IsReadChangedAction: IsReadChangedAction;
  IsArchivedChangedAction: IsArchivedChangedAction;
  ActivityChangedAction: ActivityChangedAction;
  ChangesChangedAction: ChangesChangedAction;
  ClientsChangedAction: ClientsChangedAction;
  MetadataChangedAction: MetadataChangedAction;
  PendingMessageKind: PendingMessageKind;
  PendingMessageSetAction: PendingMessageSetAction;
  PendingMessageRemovedAction: PendingMessageRemovedAction;
  QueuedMessagesReorderedAction: QueuedMessagesReorderedAction;
  CustomizationsChangedAction: CustomizationsChangedAction;
  CustomizationToggledAction: CustomizationToggledAction;
  SessionAction: SessionAction;
  Action: Action;
  ActionOrigin: ActionOrigin;
  ActionEnvelope: ActionEnvelope;
  ClientAction: ClientAction;
  Notification: Notification;
  SessionAddedNotification: SessionAddedNotification;
  SessionRemovedNotification: SessionRemovedNotification;
  SessionSummaryChangedNotification: SessionSummaryChangedNotification;
  SessionSummaryChanges: SessionSummaryChanges;
  ProgressNotification: ProgressNotification;
  ClientInfo: ClientInfo;
  InitializeParams: InitializeParams;
  ServerInfo: ServerInfo;
  InitializeResult: InitializeResult;
  Snapshot: Snapshot;
  ReconnectParams: ReconnectParams;
  ReplayResult: ReplayResult;
  SnapshotResult: SnapshotResult;
  ReconnectResult: ReconnectResult;
  SubscribeParams: SubscribeParams;
  UnsubscribeParams: UnsubscribeParams;
  DispatchActionParams: DispatchActionParams;
  ActionParams: ActionParams;
  NotificationParams: NotificationParams;
  CreateSessionParams: CreateSessionParams;
  ForkSessionParams: ForkSessionParams;
  DisposeSessionParams: DisposeSessionParams;
  ListSessionsFilter: ListSessionsFilter;
  ListSessionsParams: ListSessionsParams;
  ListSessionsResult: ListSessionsResult;
  TurnsRange: TurnsRange;
  FetchTurnsParams: FetchTurnsParams;
  FetchTurnsResult: FetchTurnsResult;
  ContentRange: ContentRange;
  FetchContentParams: FetchContentParams;
  FetchContentResult: FetchContentResult;
  BrowseDirectoryParams: BrowseDirectoryParams;
  DirectoryEntry: DirectoryEntry;
  BrowseDirectoryResult: BrowseDirectoryResult;
  AgentParams: AgentParams;
  PingParams: PingParams;
  PingResult: PingResult;
  SetProviderParams: SetProviderParams;
  SetProviderResult: SetProviderResult;
  SessionFsEncoding: SessionFsEncoding;
  SessionFsError: SessionFsError;
  SessionFsOutcome: SessionFsOutcome;
  SessionFsPathParams: SessionFsPathParams;
  ReadFileParams: ReadFileParams;
  ReadFileResult: ReadFileResult;
  WriteFileParams: WriteFileParams;
  ExistsResult: ExistsResult;
  StatResult: StatResult;
  MkdirParams: MkdirParams;
  ReaddirResult: ReaddirResult;
  ReaddirWithTypesResult: ReaddirWithTypesResult;
  SessionFsEntry: SessionFsEntry;
  RmParams: RmParams;
  RenameParams: RenameParams;
  ProtocolCapabilities: ProtocolCapabilities;
  UnsupportedProtocolVersionData: UnsupportedProtocolVersionData;
}
