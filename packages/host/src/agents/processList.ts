import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly sid?: number;
  readonly marked: boolean;
}

export interface ProcessQuery {
  /** Bytes in the environment that a process was started with; also daemons that left their group have inherited it. */
  readonly marker: string;
  /** The leader of a terminal session, while it or a member of the session is known to live. */
  readonly sid?: number;
}

const READS_AT_ONCE = 32;

/**
 * The living processes with the marker or in the session, and all that descend from them. Only one that left the session,
 * lost its parents and cleared its environment escapes; where processes can't be listed, only the leader is found.
 */
export async function findProcesses(query: ProcessQuery): Promise<number[]> {
  const listed = process.platform === 'linux' ? fromProc(query) : fromPs(query.marker);
  const entries = await listed.catch(() => undefined);
  if (!entries) return query.sid !== undefined && isRunning(query.sid) ? [query.sid] : [];
  const found = new Set(entries.filter((entry) => entry.marked || isIn(entry, query.sid)).map(({ pid }) => pid));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, ppid } of entries) if (found.has(ppid)) found.add(pid);
  }
  found.delete(process.pid);
  return [...found];
}

function isIn(entry: ProcessEntry, sid: number | undefined): boolean {
  return sid !== undefined && (entry.pid === sid || entry.sid === sid);
}

/** A zombie doesn't run any more: it only waits for whoever started it. */
export function isRunning(pid: number): boolean {
  if (process.platform === 'linux') {
    try {
      return !isDead(statFields(readFileSync(`/proc/${pid}/stat`, 'latin1'))[0]);
    } catch {
      return false;
    }
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function fromProc({ marker, sid }: ProcessQuery): Promise<ProcessEntry[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const marked = new Set(await inPortions(pids, async (pid) => ((await isMarked(pid, marker)) ? pid : undefined)));
  // Who descends from whom matters only when there is somebody to descend from: a host that starts mostly finds nobody.
  if (marked.size === 0 && sid === undefined) return [];
  return inPortions(pids, (pid) => readProc(pid, marked.has(pid)));
}

/** In portions: on a machine with many processes, all at once would use up the host's file descriptors. */
async function inPortions<T>(pids: readonly string[], read: (pid: string) => Promise<T | undefined>): Promise<T[]> {
  const found: T[] = [];
  for (let at = 0; at < pids.length; at += READS_AT_ONCE) {
    const portion = await Promise.all(pids.slice(at, at + READS_AT_ONCE).map(read));
    found.push(...portion.filter((entry) => entry !== undefined));
  }
  return found;
}

/** Unreadable for processes of other users, which are not ours either. */
async function isMarked(pid: string, marker: string): Promise<boolean> {
  const environ = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
  return environ?.includes(marker) ?? false;
}

async function readProc(pid: string, marked: boolean): Promise<ProcessEntry | undefined> {
  try {
    const [state, ppid, , sid] = statFields(await readFile(`/proc/${pid}/stat`, 'latin1'));
    return isDead(state) ? undefined : { pid: Number(pid), ppid: Number(ppid), sid: Number(sid), marked };
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}

/** State, parent, group, session: what follows the name, which may itself have spaces and parentheses. */
function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function isDead(state: string | undefined): boolean {
  return state === 'Z' || state === 'X';
}

async function fromPs(marker: string): Promise<ProcessEntry[]> {
  const args = ['-A', '-E', '-ww', '-o', 'pid=,ppid=,stat=,command='];
  const { stdout } = await promisify(execFile)('ps', args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, ppid, state] = /^\s*(\d+)\s+(\d+)\s+(\S+)/.exec(line) ?? [];
    if (pid === undefined || state?.startsWith('Z')) return [];
    return [{ pid: Number(pid), ppid: Number(ppid), marked: line.includes(marker) }];
  });
}
