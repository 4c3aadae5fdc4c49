import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The program of the stub; Node runs its source. */
export const STUB = join(import.meta.dirname, 'stubAcpAgent.ts');

/** The stub as an entry of agents.json. */
export function stubEntry(stateDir: string, env: Readonly<Record<string, string>> = {}, changes: object = {}): object {
  return {
    name: 'Stub',
    command: process.execPath,
    args: [STUB],
    env: { STUB_MEMORY: join(stateDir, 'stub-memory'), ...env },
    ...changes,
  };
}

export async function writeAgents(stateDir: string, agents: object): Promise<void> {
  await writeFile(join(stateDir, 'agents.json'), JSON.stringify({ agents }));
}
