import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Data of a process in /proc. */
export interface ProcessStat {
  /** False for a zombie, which only waits for its parent to notice its end. */
  readonly isAlive: boolean;
  readonly ppid: number;
  readonly sid: number;
  /** The process group in the foreground of its terminal; -1 without a terminal. */
  readonly foregroundGroup: number;
  /** In clock ticks since the system started. */
  readonly startTicks: string;
}

export function parseStat(text: string): ProcessStat {
  // The second field is the program's name in parentheses, which may contain anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', ppid, , sid, , foregroundGroup] = fields;
  return {
    isAlive: !/^[ZX]$/.test(state),
    ppid: Number(ppid),
    sid: Number(sid),
    foregroundGroup: Number(foregroundGroup),
    startTicks: fields[19] ?? '',
  };
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1')).isAlive;
  } catch {
    // Some systems hide the processes of other users.
    return true;
  }
}

/**
 * When the process started, in a form that only compares for equality: a process id alone may have been reused.
 * `undefined` if the system doesn't tell, or there is no such process.
 */
export async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'latin1'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    const { isAlive, startTicks } = parseStat(stat);
    return isAlive ? `${boot.trim()}/${startTicks}` : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process with this id, and this start if it is known, still runs. */
export async function isSameProcess(pid: number, start: string | undefined): Promise<boolean> {
  if (!isRunning(pid)) return false;
  if (start === undefined || process.platform !== 'linux') return true;
  return (await processStart(pid)) === start;
}
