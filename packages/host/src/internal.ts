/** `@agenthost/host/internal`: for the command and the tests of this repository. It may change in any version. */
export { type AcpAgentReport, reportAcpAgents } from './agents/acp/acpAgentReport.js';
export { agentsJsonSchema } from './agents/acp/agentsFile.js';
export { AGENTS_FOLDER } from './agents/install/agentInstall.js';
export { AgentInstallError, AgentInstaller } from './agents/install/agentInstaller.js';
export { emptyFolder } from './agents/login/emptyFolder.js';
export { AgentGuard } from './agents/orphans/agentGuard.js';
export { AgentRunner } from './agents/runner/agentRunner.js';
export { silentLog } from './hostLog.js';
export { type LocalAgents, openLocalAgents } from './localAgents.js';
export { findRunningHost } from './runningHost.js';
export { isLoopback, localUrl } from './server/networkAddress.js';
export { MAX_LINE_BYTES } from './storage/fs/splitLines.js';
export { writePrivateFile } from './storage/fs/writePrivateFile.js';
export { resolveStateRoot } from './storage/stateRoot/stateRootPath.js';
export { SessionWork } from './work/sessionWork.js';
export type { SessionWorkOptions } from './work/sessionWorkOptions.js';
export { runWork } from './work/workCommands.js';
export { Worktrees } from './work/worktrees/worktrees.js';
