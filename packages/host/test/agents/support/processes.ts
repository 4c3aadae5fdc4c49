import { readdir, readFile, readlink } from 'node:fs/promises';
import { isRunning } from '../../../src/processes/processStat.js';

/** Living processes that run in the folder or below it: a look at the machine that shares nothing with the agent's own. */
export async function processesIn(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      return cwd === folder || cwd.startsWith(`${folder}/`) ? [Number(pid)] : [];
    }),
  );
  return found.flat().filter(isRunning);
}

/** The pids that a command wrote to a file, one on each line. */
export async function pidsFrom(path: string): Promise<number[]> {
  const content = await readFile(path, 'utf8');
  return content.trim().split(/\s+/).map(Number);
}

/** Whether the process is gone. A zombie counts as gone. */
export function isGone(pid: number): boolean {
  return !isRunning(pid);
}
