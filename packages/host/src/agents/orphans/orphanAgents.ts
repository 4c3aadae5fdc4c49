import { createHash, randomUUID } from 'node:crypto';
import { findProcesses } from '../../processes/processList.js';
import { DISPOSE_STAGES, stopProcesses } from '../../processes/stopProcesses.js';

const NAME = 'AGENTHOST_AGENT_OF';
/** Distinguishes the agents of this process from those of a later host on the same state root. */
const RUN = randomUUID().slice(0, 8);

/** A variable that all processes of a state root's agents have. It is a hash, so that it doesn't reveal the path. */
export function orphanMark(stateDir: string): Record<string, string> {
  return { [NAME]: `${ofStateRoot(stateDir)}.${RUN}` };
}

/** The mark of agents that this process has started. */
export function ownMarker(stateDir: string): string {
  return `${NAME}=${orphanMark(stateDir)[NAME]}`;
}

/**
 * Ends orphan agents of a killed host. The caller must hold the state root's lock: then no other host's agents can have
 * this mark.
 */
export async function endOrphanAgents(stateDir: string): Promise<void> {
  await endMarked(`${NAME}=${ofStateRoot(stateDir)}`);
}

/** Ends all processes that were started with this in their environment, and their children. */
export async function endMarked(marker: string): Promise<void> {
  await stopProcesses(() => findProcesses({ marker }), DISPOSE_STAGES);
}

/** Names a state root without revealing its path. */
export function ofStateRoot(stateDir: string): string {
  return createHash('sha256').update(stateDir).digest('hex').slice(0, 32);
}
