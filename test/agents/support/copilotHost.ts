import type { SessionHandle } from '@agenthost/client';
import { CopilotAgent } from '@agenthost/host';
import type { SessionState } from '@agenthost/protocol';
import { onTestFinished } from 'vitest';
import { ModelServer } from '../../support/modelServer/modelServer.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';
import { type AgentFolders, agentEnv, agentFolders } from './agentCase.js';
import { scriptedCopilot } from './copilotConfiguration.js';
import { AGENTS_FOLDER } from './installAgents.js';

/** Agents are processes of hundreds of megabytes, and the machine may be busy with others. */
export const PATIENCE_MS = 60_000;

export interface CopilotHost extends TestHost, AgentFolders {
  readonly model: ModelServer;
}

/** A real host with a real Copilot and a scripted model; all of it goes when the test ends. */
export async function startCopilotHost(
  model?: ModelServer,
  env: Readonly<Record<string, string>> = {},
): Promise<CopilotHost> {
  const scripted = model ?? (await ModelServer.start());
  const folders = await agentFolders();
  const agent = new CopilotAgent({ agentsFolder: AGENTS_FOLDER, configuration: scriptedCopilot(scripted) });
  const host = await startTestHost({
    agents: [agent],
    env: { ...agentEnv(folders.home), ...env },
    defaultDirectory: folders.cwd,
    stateDir: folders.state,
  });
  onTestFinished(async () => {
    await host.dispose();
    await scripted.dispose();
  });
  return { ...host, ...folders, model: scripted };
}

export function turnEnded(session: SessionHandle, n = 1): Promise<SessionState> {
  const ended = ({ turns }: SessionState) => turns.length >= n;
  return until(session.confirmed, ended, `the end of turn ${n}`, PATIENCE_MS);
}

/** The call that waits, when it does. */
export async function confirmation(session: SessionHandle) {
  const [pending] = await until(
    session.pendingConfirmations,
    (waiting) => waiting.length > 0,
    'a confirmation',
    PATIENCE_MS,
  );
  if (!pending) throw new Error('nothing waits');
  return pending;
}
