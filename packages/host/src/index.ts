export { type AcpAgentReport, reportAcpAgents } from './agents/acp/acpAgentReport.js';
export { AcpAgents, type AcpAgentsOptions } from './agents/acp/acpAgents.js';
export { AgentsFileError, agentsJsonSchema } from './agents/acp/agentsFile.js';
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
export { AgentGuard } from './agents/agentGuard.js';
export { AGENTS_FOLDER } from './agents/agentInstall.js';
export { AgentInstallError, AgentInstaller, type InstallProgress } from './agents/agentInstaller.js';
export type { AgentPackage } from './agents/agentPackage.js';
export type { AgentSource, AgentSourceContext } from './agents/agentSource.js';
export { CopilotAgent, type CopilotAgentOptions } from './agents/copilot/copilotAgent.js';
export type { CopilotConfiguration } from './agents/copilot/copilotConfiguration.js';
export { MockAgent } from './agents/mock/mockAgent.js';
export { ShellAgent } from './agents/shell/shellAgent.js';
export { consoleLog, type HostLog, silentLog } from './hostLog.js';
export type { HostOptions, Listening, ListenOptions } from './hostOptions.js';
export { Host } from './main.js';
export type { Credential } from './protocol/credential.js';
export { findRunningHost } from './runningHost.js';
export { isLoopback } from './server/networkAddress.js';
export type { SocketRoute } from './server/socketRoute.js';
export { WeakTokenError } from './server/tokenFile.js';
export type { EventLog } from './sessionFs/eventLog.js';
export { LockHeldError } from './sessionFs/hostLock.js';
export { JsonlEventLog, type JsonlEventLogOptions } from './sessionFs/jsonlEventLog.js';
export { type SessionFs, type SessionFsEntry, SessionFsFailure, type SessionFsStat } from './sessionFs/sessionFs.js';
export type { SessionStorage, StoredSession } from './sessionFs/sessionStorage.js';
export { StateRootFailure } from './sessionFs/stateRoot.js';
export { resolveStateRoot, type StateRootPlace } from './sessionFs/stateRootPath.js';
export type { TempFiles } from './sessionFs/tempFiles.js';
