import { readFileSync } from 'node:fs';
import { parseStat } from './processStat.js';

/**
 * Sends SIGINT to the processes in the foreground of a terminal, given a process of that terminal which has not ended. Returns false
 * when they can't be found, as on systems without /proc.
 */
export function interruptForeground(pid: number): boolean {
  try {
    const { foregroundGroup } = parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    return foregroundGroup > 1 && process.kill(-foregroundGroup, 'SIGINT');
  } catch {
    return false;
  }
}
