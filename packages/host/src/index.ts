/**
 * Everything that is exported here is public API: `etc/host.api.md` lists it, and a change of it is a change of the version.
 *
 * - `Host` runs the sessions; its options, its log, and the errors that `Host.start` rejects with.
 * - `Agent` and the types around it, to write an agent; the agents that come with the host.
 * - `SessionStorage`, `SessionFs` and `JsonlEventLog`, to keep sessions elsewhere.
 */
export { AcpAgents, type AcpAgentsOptions } from './agents/acp/acpAgents.js';
export { AgentsFileError } from './agents/acp/agentsFile.js';
export type {
  Agent,
  AgentContent,
  AgentDescriptor,
  AgentEvent,
  AgentSession,
  Decision,
  OpenSessionOptions,
} from './agents/agent.js';
export type {
  AgentCustomization,
  CustomizationKind,
  CustomizationSupport,
  McpServer,
} from './agents/agentCustomization.js';
export type { AgentKeySupport, AgentLoginSupport, KeyCheck, LoginFacts, LoginProgram } from './agents/agentLogin.js';
export { LoginRequiredError } from './agents/agentLogin.js';
export type { AgentSource, AgentSourceContext } from './agents/agentSource.js';
export { CopilotAgent, type CopilotAgentOptions } from './agents/copilot/copilotAgent.js';
export type { CopilotConfiguration } from './agents/copilot/copilotConfiguration.js';
export { MockAgent } from './agents/mock/mockAgent.js';
export { ShellAgent } from './agents/shell/shellAgent.js';
export type { Credential } from './connection/credential.js';
export { DatabaseError } from './database/connectionConfig.js';
export { Host } from './host.js';
export { consoleLog, type HostLog, silentLog } from './hostLog.js';
export type { HostOptions, Listening, ListenOptions } from './hostOptions.js';
export { WeakTokenError } from './server/access/tokenFile.js';
export type { SocketRoute } from './server/socketRoute.js';
export { type SessionFs, type SessionFsEntry, SessionFsFailure, type SessionFsStat } from './storage/fs/sessionFs.js';
export type { EventLog } from './storage/log/eventLog.js';
export { JsonlEventLog, type JsonlEventLogOptions } from './storage/log/jsonlEventLog.js';
export type { SessionStorage, StoredSession } from './storage/sessionStorage.js';
export { LockHeldError } from './storage/stateRoot/hostLock.js';
export { StateRootFailure } from './storage/stateRoot/stateRoot.js';
export type { TempFiles } from './storage/stateRoot/tempFiles.js';
