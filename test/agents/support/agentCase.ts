import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A fresh home, working folder and state folder for one test; they go when it ends. */
export interface AgentFolders {
  readonly home: string;
  readonly cwd: string;
  readonly state: string;
}

export async function agentFolders(): Promise<AgentFolders> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-agent-')));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  const folders = { home: join(root, 'home'), cwd: join(root, 'cwd'), state: join(root, 'state') };
  for (const folder of Object.values(folders)) await mkdir(folder);
  return folders;
}

/** The whole environment of an agent under test: nothing of the real home, and no way to a proxy. */
export function agentEnv(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: home, LANG: 'C.UTF-8', NO_PROXY: '*' };
}
