import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentPackage } from './agentPackage.js';

export const AGENT_LOCKS_FOLDER = join(import.meta.dirname, '../../agent-locks');

/**
 * The lock file of npm for an agent of the catalogue: every package that it was tried with, by version and checksum. `undefined`
 * for any other package or version. `npm run agent-locks` makes them.
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
