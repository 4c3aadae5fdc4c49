// The used part of @github/copilot-sdk, in our own types. The package brings a runtime of a hundred megabytes, so users install it
// on demand, and it is loaded from there.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentInstall } from '../install/agentInstall.js';

export const SDK_PACKAGE = '@github/copilot-sdk';

export interface CopilotSdk {
  readonly CopilotClient: new (options: CopilotClientOptions) => CopilotClient;
  readonly RuntimeConnection: {
    forStdio(options: { path: string; args: readonly string[]; env: Record<string, string> }): unknown;
  };
}

export interface CopilotClientOptions {
  readonly connection: unknown;
  readonly workingDirectory: string;
  readonly logLevel: 'none' | 'error';
  readonly useLoggedInUser: boolean;
  readonly sessionFs?: {
    readonly initialCwd: string;
    readonly sessionStatePath: string;
    readonly conventions: 'posix' | 'windows';
  };
}

export interface CopilotClient {
  start(): Promise<void>;
  stop(): Promise<Error[]>;
  forceStop(): Promise<void>;
  ping(): Promise<unknown>;
  createSession(config: SdkSessionConfig): Promise<SdkSession>;
  resumeSession(sessionId: string, config: SdkSessionConfig): Promise<SdkSession>;
  getAuthStatus(): Promise<{
    readonly isAuthenticated: boolean;
    /** `env` for a token in a variable, else a log-in. */
    readonly authType?: string;
    /** The name of the user. */
    readonly login?: string;
    readonly statusMessage?: string;
  }>;
  listModels(): Promise<readonly SdkModel[]>;
}

export interface SdkModel {
  readonly id: string;
  readonly name?: string;
  readonly capabilities?: {
    readonly supports?: { readonly vision?: boolean };
    readonly limits?: { readonly max_context_window_tokens?: number };
  };
  readonly policy?: { readonly state?: string };
}

/** Customizations for Copilot. All of them come from the host: Copilot looks for none. */
export interface SdkCustomizations {
  readonly skipCustomInstructions: true;
  readonly enableOnDemandInstructionDiscovery: false;
  readonly systemMessage?: { readonly mode: 'append'; readonly content: string };
  /** Without it the folders are ignored; with it only those are used. */
  readonly enableSkills: boolean;
  /** The folders of the skills themselves. */
  readonly skillDirectories: readonly string[];
  readonly customAgents: readonly {
    readonly name: string;
    readonly displayName: string;
    readonly description?: string;
    readonly prompt: string;
  }[];
  readonly mcpServers: Readonly<Record<string, SdkMcpServer>>;
}
export type SdkMcpServer = { readonly tools: readonly string[] } & (
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly workingDirectory?: string;
    }
  | { readonly type: 'http' | 'sse'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
);

export interface SdkToolResult {
  readonly textResultForLlm: string;
  readonly resultType: 'success' | 'failure';
  readonly error?: string;
  readonly binaryResultsForLlm?: readonly { type: 'image'; data: string; mimeType: string }[];
}

export interface SdkTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Otherwise the model may have to look for it first. */
  readonly defer: 'never';
  readonly handler: (input: unknown, invocation: { readonly signal?: AbortSignal }) => Promise<SdkToolResult>;
}

export interface SdkSessionConfig extends SdkCustomizations {
  readonly tools?: readonly SdkTool[];
  readonly sessionId?: string;
  readonly clientName: string;
  readonly model?: string;
  readonly provider?: Readonly<Record<string, unknown>>;
  readonly reasoningEffort?: string;
  readonly streaming: true;
  readonly includeSubAgentStreamingEvents: false;
  /** Hooks of the project would run commands without a question. */
  readonly enableFileHooks: false;
  /** The same holds for MCP servers and plugins of the project. */
  readonly enableConfigDiscovery: false;
  readonly workingDirectory: string;
  readonly createSessionFsProvider: () => SdkSessionFsProvider;
  readonly onEvent: (event: SdkEvent) => void;
  readonly onPermissionRequest: () => { readonly kind: 'no-result' };
  readonly onUserInputRequest: (request: UserInputRequest) => Promise<UserInputResponse>;
  readonly onElicitationRequest: (request: ElicitationRequest) => Promise<ElicitationResult>;
  readonly onExitPlanModeRequest: (request: ExitPlanModeRequest) => Promise<ExitPlanModeResult>;
}

export interface SdkSession {
  readonly sessionId: string;
  readonly rpc: {
    readonly permissions: {
      handlePendingPermissionRequest(params: {
        readonly requestId: string;
        readonly result: PermissionDecision;
      }): Promise<{ readonly success: boolean }>;
    };
    /** Experimental: a later SDK may not have it. */
    readonly mode?: {
      get(): Promise<unknown>;
      set(params: { readonly mode: string }): Promise<unknown>;
    };
    readonly model?: {
      getCurrent(): Promise<{ readonly reasoningEffort?: unknown }>;
      setReasoningEffort?(params: { readonly reasoningEffort: string }): Promise<unknown>;
    };
  };
  /** Returns the id of the message. */
  send(options: SdkMessage): Promise<string>;
  abort(): Promise<void>;
  setModel(model: string): Promise<void>;
}

export interface SdkMessage {
  readonly prompt: string;
  readonly displayPrompt?: string;
  readonly attachments?: readonly SdkAttachment[];
  readonly mode?: 'enqueue' | 'immediate';
}
export type SdkAttachment =
  | { readonly type: 'file' | 'directory'; readonly path: string; readonly displayName?: string }
  | { readonly type: 'blob'; readonly data: string; readonly mimeType: string; readonly displayName?: string };

export interface UserInputRequest {
  readonly question: string;
  readonly choices?: readonly string[];
  readonly allowFreeform?: boolean;
}
export interface UserInputResponse {
  readonly answer: string;
  readonly wasFreeform: boolean;
}
/** A form of the agent, or of an MCP server. */
export interface ElicitationRequest {
  readonly message?: string;
  readonly mode?: string;
  readonly requestedSchema?: unknown;
}
export type ElicitationResult =
  | { readonly action: 'accept'; readonly content: Record<string, string | number | boolean | readonly string[]> }
  | { readonly action: 'decline' | 'cancel' };
export interface ExitPlanModeRequest {
  readonly summary: string;
  readonly planContent?: string;
  readonly actions: readonly string[];
}
export interface ExitPlanModeResult {
  readonly approved: boolean;
  readonly selectedAction?: string;
  readonly feedback?: string;
}

export type PermissionDecision =
  | { readonly kind: 'approve-once' }
  | { readonly kind: 'approve-for-session'; readonly approval?: SessionApproval; readonly domain?: string }
  | { readonly kind: 'reject'; readonly feedback?: string };
export type SessionApproval =
  | { readonly kind: 'read' | 'write' | 'memory' }
  | { readonly kind: 'commands'; readonly commandIdentifiers: readonly string[] }
  | { readonly kind: 'mcp'; readonly serverName: string; readonly toolName: string }
  | { readonly kind: 'custom-tool'; readonly toolName: string };

/** `kind` is one of many, and new ones appear: an unknown kind is asked about in general words. */
export interface SdkPermissionRequest {
  readonly kind: string;
  readonly toolCallId?: string;
  readonly intention?: string;
  readonly managedApprovalRequired?: boolean;
  readonly canOfferSessionApproval?: boolean;
  readonly fullCommandText?: string;
  readonly commands?: readonly { readonly identifier: string }[];
  readonly fileName?: string;
  /** For a `write`. */
  readonly diff?: string;
  readonly newFileContents?: string;
  /** For a tool. */
  readonly args?: unknown;
  readonly path?: string;
  readonly url?: string;
  readonly serverName?: string;
  readonly toolName?: string;
  readonly toolTitle?: string;
  readonly fact?: string;
  readonly hookMessage?: string;
}

export interface SdkContentBlock {
  readonly type: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly resource?: { readonly blob?: string; readonly mimeType?: string };
}
/** With its bytes, with the id of an earlier `session.binary_asset`, or without both when it was too large. */
export interface SdkBinaryResult {
  readonly mimeType?: string;
  readonly data?: string;
  readonly assetId?: string;
  readonly byteLength?: number;
}

export interface ToolExecutionCompleteData {
  readonly toolCallId: string;
  readonly success: boolean;
  readonly result?: {
    readonly content?: string;
    readonly detailedContent?: string;
    /** The content that the tool returned. */
    readonly contents?: readonly SdkContentBlock[];
    /** The content that the model sees, beside the text. */
    readonly binaryResultsForLlm?: readonly SdkBinaryResult[];
  };
  readonly error?: { readonly message: string; readonly code?: string };
  readonly shellExecution?: { readonly exitCode?: number };
}

/** Events by their type; the payloads of those that are used. */
export interface SdkEventData {
  'user.message': { readonly messageId?: string; readonly delivery?: string };
  'assistant.message_delta': { readonly messageId: string; readonly deltaContent: string };
  'assistant.message': { readonly messageId: string; readonly content?: string; readonly reasoningText?: string };
  'assistant.reasoning_delta': { readonly deltaContent: string };
  'assistant.reasoning': { readonly content?: string };
  'assistant.usage': {
    readonly model?: string;
    readonly inputTokens?: number;
    readonly outputTokens?: number;
    readonly cacheReadTokens?: number;
    readonly cost?: number;
  };
  'session.usage_info': { readonly currentTokens?: number; readonly tokenLimit?: number };
  'assistant.intent': { readonly intent: string };
  'tool.execution_start': {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly toolTitle?: string;
    readonly arguments?: unknown;
  };
  'tool.execution_partial_result': { readonly toolCallId: string; readonly partialOutput: string };
  'tool.execution_progress': { readonly toolCallId: string; readonly progressMessage: string };
  'tool.execution_complete': ToolExecutionCompleteData;
  'permission.requested': { readonly requestId: string; readonly permissionRequest: SdkPermissionRequest };
  'subagent.started': {
    readonly agentDisplayName?: string;
    readonly agentDescription?: string;
    /** The call that started it. */
    readonly toolCallId?: string;
  };
  'subagent.completed': { readonly agentDisplayName?: string };
  'session.compaction_start': unknown;
  'session.compaction_complete': {
    readonly success?: boolean;
    readonly summaryContent?: string;
    /** The path of Copilot's own copy. */
    readonly checkpointPath?: string;
    readonly error?: string;
  };
  'session.binary_asset': { readonly assetId: string; readonly data: string; readonly mimeType?: string };
  'session.mode_changed': { readonly newMode: string };
  'session.model_change': { readonly reasoningEffort?: string | null };
  'session.title_changed': { readonly title: string };
  'session.warning': { readonly message: string };
  'session.error': { readonly errorType?: string; readonly message: string };
  'assistant.turn_start': unknown;
  'assistant.idle': { readonly aborted?: boolean };
  'session.idle': { readonly aborted?: boolean };
}

export type SdkEventOf<T extends keyof SdkEventData> = {
  readonly type: T;
  readonly data: SdkEventData[T];
  /** The sub-agent that it belongs to. */
  readonly agentId?: string;
};
export type KnownSdkEvent = { [T in keyof SdkEventData]: SdkEventOf<T> }[keyof SdkEventData];
/** An event as it really arrives: of any type, also of later versions. */
export type SdkEvent = { readonly type: string; readonly data: unknown; readonly agentId?: string };

export interface SdkSessionFsProvider {
  readFile(path: string): Promise<string>;
  writeFile(path: string, content: string): Promise<void>;
  appendFile(path: string, content: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  stat(path: string): Promise<SdkFileInfo>;
  mkdir(path: string, recursive: boolean): Promise<void>;
  readdir(path: string): Promise<string[]>;
  readdirWithTypes(path: string): Promise<{ readonly name: string; readonly type: 'file' | 'directory' }[]>;
  rm(path: string, recursive: boolean, force: boolean): Promise<void>;
  rename(source: string, target: string): Promise<void>;
}
export interface SdkFileInfo {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly size: number;
  readonly mtime: string;
  readonly birthtime: string;
  /** Not in the SDK's types, but its runtime takes a file for missing without these two (github/copilot-sdk#2753). */
  readonly mtimeMs: number;
  readonly birthtimeMs: number;
}

export async function loadSdk({ path }: AgentInstall): Promise<CopilotSdk> {
  const manifest: unknown = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
  const { exports, main } = manifest as {
    exports?: { '.'?: { import?: { default?: string } } };
    main?: string;
  };
  const entry = exports?.['.']?.import?.default ?? main ?? 'index.js';
  return (await import(pathToFileURL(join(path, entry)).href)) as CopilotSdk;
}
