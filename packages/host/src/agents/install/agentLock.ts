import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentPackage } from './agentPackage.js';

export const AGENT_LOCKS_FOLDER = join(import.meta.dirname, '../../../agent-locks');

/**
 * Reads the npm lock file of a catalogue agent, with the version and checksum of every package. Returns `undefined` when there
 * is none for this package and version. `npm run agent-locks` writes these files.
 */
export async function readAgentLock(
  folder: string,
  provider: string,
  { name, version }: AgentPackage,
): Promise<string | undefined> {
  const text = await readFile(join(folder, `${provider}.json`), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { packages } = JSON.parse(text) as { packages: { '': { dependencies: Record<string, string> } } };
  return packages[''].dependencies[name] === version ? text : undefined;
}
