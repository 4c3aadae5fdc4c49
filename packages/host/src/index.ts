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
export type { AgentSource, AgentSourceContext } from './agents/agentSource.js';
export { CopilotAgent, type CopilotAgentOptions } from './agents/copilot/copilotAgent.js';
export type { CopilotConfiguration } from './agents/copilot/copilotConfiguration.js';
export { AGENTS_FOLDER } from './agents/install/agentInstall.js';
export { AgentInstallError, AgentInstaller, type InstallProgress } from './agents/install/agentInstaller.js';
export type { AgentPackage } from './agents/install/agentPackage.js';
export { MockAgent } from './agents/mock/mockAgent.js';
export { AgentGuard } from './agents/orphans/agentGuard.js';
export { ShellAgent } from './agents/shell/shellAgent.js';
export type { Credential } from './connection/credential.js';
export { Host } from './host.js';
export { consoleLog, type HostLog, silentLog } from './hostLog.js';
export type { HostOptions, Listening, ListenOptions } from './hostOptions.js';
export { findRunningHost } from './runningHost.js';
export { WeakTokenError } from './server/access/tokenFile.js';
export { isLoopback } from './server/networkAddress.js';
export type { SocketRoute } from './server/socketRoute.js';
export { type SessionFs, type SessionFsEntry, SessionFsFailure, type SessionFsStat } from './storage/fs/sessionFs.js';
export { MAX_LINE_BYTES } from './storage/fs/splitLines.js';
export type { EventLog } from './storage/log/eventLog.js';
export { JsonlEventLog, type JsonlEventLogOptions } from './storage/log/jsonlEventLog.js';
export type { SessionStorage, StoredSession } from './storage/sessionStorage.js';
export { LockHeldError } from './storage/stateRoot/hostLock.js';
export { StateRootFailure } from './storage/stateRoot/stateRoot.js';
export { resolveStateRoot, type StateRootPlace } from './storage/stateRoot/stateRootPath.js';
export type { TempFiles } from './storage/stateRoot/tempFiles.js';
