import { createHash } from 'node:crypto';
import { findProcesses } from './processList.js';
import { DISPOSE_STAGES, stopProcesses } from './stopProcesses.js';

const NAME = 'AGENTHOST_AGENT_OF';

/** A variable that all processes of a state root's agents carry; a hash, because a path is nobody's business. */
export function leftoverMark(stateDir: string): Record<string, string> {
  return { [NAME]: createHash('sha256').update(stateDir).digest('hex').slice(0, 32) };
}

/**
 * Ends agents that a host left behind when it was killed. Only for who holds the state root's lock: then nobody else's agents
 * can carry this mark.
 */
export async function endLeftovers(stateDir: string): Promise<void> {
  const marker = `${NAME}=${leftoverMark(stateDir)[NAME]}`;
  await stopProcesses(() => findProcesses({ marker }), DISPOSE_STAGES);
}
