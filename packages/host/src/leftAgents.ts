import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { endOrphanAgents } from './agents/orphans/orphanAgents.js';
import type { AgentRunner } from './agents/runner/agentRunner.js';
import type { HostLog } from './hostLog.js';
import type { HostOptions } from './hostOptions.js';
import type { StateRoot } from './storage/stateRoot/stateRoot.js';

/**
 * What an earlier host left running: its runner, if agents may outlive the host, is found again; everything else is ended. A host that
 * stopped normally left nothing.
 */
export async function leftAgents(
  { agentsOutliveHostMs: leaseMs, database }: HostOptions,
  { path, lock }: StateRoot,
  log: HostLog,
): Promise<{ readonly runner: AgentRunner | undefined; readonly orphansEnded: Promise<unknown> | undefined }> {
  // Scans all processes of the machine while the rest is read.
  const orphansEnded = lock.tookOver ? endOrphanAgents(path) : undefined;
  orphansEnded?.catch(() => {});
  const isWanted = leaseMs !== undefined && database === undefined;
  if (!isWanted && !(await hasRunner(path))) return { runner: undefined, orphansEnded };
  const { AgentRunner: Runner } = await import('./agents/runner/agentRunner.js');
  if (isWanted) return { runner: await Runner.open({ stateDir: path, leaseMs, log }), orphansEnded };
  await Runner.endLeft(path);
  return { runner: undefined, orphansEnded };
}

async function hasRunner(stateDir: string): Promise<boolean> {
  return access(join(stateDir, 'runner')).then(
    () => true,
    () => false,
  );
}
