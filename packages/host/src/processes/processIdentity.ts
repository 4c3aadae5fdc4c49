import { readFile } from 'node:fs/promises';

/**
 * When the process started, in a form that only compares for equality: a process id alone may belong to another process by
 * now. `undefined` where the system doesn't tell, or there is no such process.
 */
export async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    // The second field is the program's name in parentheses, which may hold anything; state is the third, start the 22nd.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    return state === 'Z' || state === 'X' ? undefined : `${boot.trim()}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** Whether the process that had this id, and this start where it is known, still runs. */
export async function isRunning(pid: number, start: string | undefined): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  if (start === undefined || process.platform !== 'linux') return true;
  return (await processStart(pid)) === start;
}
