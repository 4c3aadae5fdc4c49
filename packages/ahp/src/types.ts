/** The part of the public protocol that the gateway speaks, written by hand from the wire (0.9.0, with fields of 0.5 beside it). */

export const AHP_ROOT = 'ahp-root://';

export type AhpText = string | AhpMarkdown;

interface AhpMarkdown {
  readonly markdown: string;
}

export interface AhpEnvelope {
  readonly channel: string;
  readonly action: AhpAction;
  readonly serverSeq: number;
  readonly origin?: { readonly clientId: string; readonly clientSeq: number };
  readonly rejectionReason?: string;
}

/** Identified by its type; the rest depends on the action. */
export interface AhpAction {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface AhpSnapshot {
  readonly resource: string;
  readonly state: AhpRoot | AhpSession | AhpChat | AhpChangeset;
  readonly fromSeq: number;
}

export interface AhpRoot {
  readonly agents: readonly AhpAgent[];
  readonly activeSessions?: number;
  readonly config: AhpConfig;
}

export interface AhpConfig {
  readonly schema: { readonly type: 'object'; readonly properties: Readonly<Record<string, unknown>> };
  readonly values: Readonly<Record<string, unknown>>;
}

export interface AhpAgent {
  readonly provider: string;
  readonly displayName: string;
  readonly description: string;
  readonly models: readonly AhpModel[];
  readonly capabilities: { readonly multipleChats: { readonly fork: Readonly<Record<string, never>> } };
}

export interface AhpModel {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly maxContextWindow?: number;
  readonly supportsVision?: boolean;
  readonly policyState?: string;
}

interface Folders {
  readonly workingDirectories?: readonly string[];
  /** For 0.5. */
  readonly workingDirectory?: string;
}

export interface AhpSessionSummary extends Folders {
  readonly resource: string;
  readonly provider: string;
  readonly title: string;
  readonly status: number;
  readonly createdAt: string;
  readonly modifiedAt: string;
  readonly activity?: string;
  readonly changes?: AhpChangeCounts;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface AhpChangeCounts {
  readonly additions: number;
  readonly deletions: number;
  readonly files: number;
}

export interface AhpChatSummary {
  readonly resource: string;
  /** Since 0.9 absent means the session's. */
  readonly title?: string;
  readonly status: number;
  readonly modifiedAt: string;
  readonly activity?: string;
  readonly interactivity?: 'read-only';
}

export interface AhpSession extends Folders {
  readonly provider: string;
  readonly title: string;
  readonly status: number;
  readonly activity?: string;
  readonly lifecycle: 'creating' | 'ready' | 'failed' | 'creationFailed';
  readonly creationError?: AhpError;
  readonly activeClients: readonly AhpActiveClient[];
  readonly chats: readonly AhpChatSummary[];
  readonly defaultChat: string;
  readonly changesets: readonly AhpChangesetEntry[];
  readonly config?: AhpConfig;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface AhpActiveClient {
  readonly clientId: string;
  readonly [field: string]: unknown;
}

export interface AhpError {
  readonly errorType: string;
  readonly message: string;
  readonly stack?: string;
}

export interface AhpChat extends AhpChatSummary {
  readonly turns: readonly AhpTurn[];
  readonly activeTurn?: AhpActiveTurn;
  readonly turnsNextCursor?: string;
  readonly steeringMessage?: AhpPendingMessage;
  readonly queuedMessages?: readonly AhpPendingMessage[];
  readonly draft?: unknown;
  /** Before 0.8. */
  readonly inputRequests?: readonly AhpInputRequest[];
}

export interface AhpPendingMessage {
  readonly id: string;
  readonly message: AhpMessage;
}

export interface AhpMessage {
  readonly text: string;
  readonly origin: { readonly kind: 'user' };
  readonly attachments?: readonly AhpAttachment[];
  readonly model?: { readonly id: string };
}

export interface AhpAttachment {
  readonly type: 'simple' | 'embeddedResource' | 'resource';
  readonly label: string;
  readonly displayKind?: string;
  readonly [field: string]: unknown;
}

export interface AhpActiveTurn {
  readonly id: string;
  readonly startedAt: string;
  readonly message: AhpMessage;
  readonly responseParts: readonly AhpPart[];
  readonly usage?: AhpUsage;
}

export interface AhpTurn extends AhpActiveTurn {
  readonly duration: number;
  readonly state: 'complete' | 'cancelled' | 'error';
  /** For 0.5 and 0.8. */
  readonly error?: AhpError;
}

export interface AhpUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly model?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export type AhpPart =
  | { readonly kind: 'markdown' | 'reasoning'; readonly id: string; readonly content: string }
  | ({ readonly kind: 'contentRef' } & AhpContentRef)
  | { readonly kind: 'toolCall'; readonly toolCall: AhpToolCall }
  | {
      readonly kind: 'systemNotification';
      readonly content: AhpText;
      readonly _meta?: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'inputRequest'; readonly request: AhpInputRequest; readonly response?: AhpInputResponse }
  | { readonly kind: 'error'; readonly error: AhpError };

export interface AhpContentRef {
  readonly uri: string;
  readonly sizeHint?: number;
  readonly contentType?: string;
}

export type AhpInputResponse = 'accept' | 'decline' | 'cancel';

export interface AhpInputRequest {
  readonly id: string;
  readonly message: string;
  readonly questions: readonly AhpQuestion[];
}

export interface AhpQuestion {
  readonly kind: 'single-select' | 'multi-select' | 'text' | 'number' | 'integer' | 'boolean';
  readonly id: string;
  readonly title?: string;
  readonly message: string;
  readonly required?: true;
  readonly min?: number;
  readonly max?: number;
  readonly defaultValue?: string | number | boolean;
  readonly options?: readonly { readonly id: string; readonly label: string; readonly description?: string }[];
  readonly allowFreeformInput?: true;
}

interface AhpToolCallBase {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly invocationMessage: AhpMarkdown;
  readonly toolInput: string;
  readonly _meta: Readonly<Record<string, unknown>>;
}

export type AhpConfirmed = 'not-needed' | 'user-action' | 'setting';

export interface AhpOption {
  readonly id: string;
  readonly label: string;
  readonly kind: 'approve' | 'deny';
}

export interface AhpPendingCall extends AhpToolCallBase {
  readonly status: 'pending-confirmation';
  readonly confirmationTitle?: string;
  readonly editable?: boolean;
  readonly options?: readonly AhpOption[];
}

export interface AhpRunningCall extends AhpToolCallBase {
  readonly status: 'running';
  readonly confirmed: AhpConfirmed;
  readonly content?: readonly AhpResultContent[];
}

export interface AhpCompletedCall extends AhpToolCallBase, AhpToolResult {
  readonly status: 'completed';
  readonly confirmed: AhpConfirmed;
}

export interface AhpCancelledCall extends AhpToolCallBase {
  readonly status: 'cancelled';
  readonly reason: 'denied' | 'skipped';
  readonly reasonMessage?: string;
}

export type AhpToolCall = AhpPendingCall | AhpRunningCall | AhpCompletedCall | AhpCancelledCall;

export interface AhpToolResult {
  readonly success: boolean;
  readonly pastTenseMessage: string;
  readonly content?: readonly AhpResultContent[];
  readonly error?: { readonly message: string; readonly code?: string };
}

export type AhpResultContent =
  | { readonly type: 'text'; readonly text: string }
  | ({ readonly type: 'resource' } & AhpContentRef)
  | ({ readonly type: 'fileEdit' } & AhpFileEdit);

export interface AhpFileEdit {
  readonly before?: AhpFileSide;
  readonly after?: AhpFileSide;
  readonly diff: { readonly added: number; readonly removed: number };
}

export interface AhpFileSide {
  readonly uri: string;
  readonly content: AhpContentRef;
}

export interface AhpChangesetEntry {
  readonly label: string;
  readonly uriTemplate: string;
  readonly changeKind: 'session' | 'turn';
  readonly capabilities?: { readonly review: Readonly<Record<string, never>> };
}

export interface AhpChangeset {
  readonly status: 'ready';
  readonly files: readonly AhpChangesetFile[];
}

export interface AhpChangesetFile {
  readonly id: string;
  readonly reviewed?: boolean;
  readonly edit: AhpFileEdit;
}
