import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { isRunning, parseStat } from './processStat.js';

interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly sid?: number;
  readonly marked: boolean;
}

export interface ProcessQuery {
  /** Bytes in the environment that a process was started with; daemons that left their group have inherited it too. */
  readonly marker: string;
  /** The leader of a terminal session, while it or a member of the session is known to run. */
  readonly sid?: number;
}

/** Few at once: the threads that read these also write the logs, and acknowledgements wait for them. */
const READS_AT_ONCE = 2;

/** One scan of the processes, for all callers that asked before it began. */
interface Look {
  readonly queries: ProcessQuery[];
  readonly found: Promise<ReadonlyMap<ProcessQuery, readonly ProcessEntry[]>>;
}

let nextLook: Look | undefined;
let lastLook: Promise<unknown> = Promise.resolve();

/**
 * The running processes with the marker or in the session, and their descendants. Only a process that left the session,
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

/** One scan after the other: when many agents die at once, they share the next. */
async function fromProc(query: ProcessQuery): Promise<readonly ProcessEntry[]> {
  if (!nextLook) {
    const queries: ProcessQuery[] = [];
    const found = lastLook.then(() => {
      nextLook = undefined;
      return lookFor(queries);
    });
    nextLook = { queries, found };
    lastLook = found.catch(() => {});
  }
  nextLook.queries.push(query);
  return (await nextLook.found).get(query) ?? [];
}

async function lookFor(queries: readonly ProcessQuery[]): Promise<ReadonlyMap<ProcessQuery, readonly ProcessEntry[]>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const marked = new Map(queries.map((query) => [query, new Set<string>()]));
  await inPortions(pids, async (pid) => {
    const environ = await environOf(pid);
    for (const [{ marker }, found] of marked) if (environ?.includes(marker)) found.add(pid);
  });
  // Descendants matter only if a process was found: a starting host mostly finds none.
  const wanted = queries.filter((query) => query.sid !== undefined || marked.get(query)?.size !== 0);
  if (wanted.length === 0) return new Map();
  const stats = await inPortions(pids, readStat);
  return new Map(
    wanted.map((query) => [
      query,
      stats.map(({ pid, ...stat }) => ({ ...stat, pid: Number(pid), marked: marked.get(query)?.has(pid) ?? false })),
    ]),
  );
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

/** Unreadable for processes of other users, which are not ours. */
function environOf(pid: string): Promise<Buffer | undefined> {
  return readFile(`/proc/${pid}/environ`).catch(() => undefined);
}

async function readStat(pid: string): Promise<{ pid: string; ppid: number; sid: number } | undefined> {
  try {
    const { isAlive, ppid, sid } = parseStat(await readFile(`/proc/${pid}/stat`, 'latin1'));
    return isAlive ? { pid, ppid, sid } : undefined;
  } catch {
    // It ended meanwhile.
    return undefined;
  }
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
