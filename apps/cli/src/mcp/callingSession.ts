import { readFileSync } from 'node:fs';
import { SESSION_VARIABLE } from '@agenthost/protocol/internal';

const MAX_ANCESTORS = 32;

/**
 * The session whose agent has started this program. Agents pass on few variables to their MCP servers, so where the system shows
 * them (Linux), those of the programs above this one are read as well.
 */
export function callingSession(env = process.env, parent = process.ppid): string | undefined {
  const own = env[SESSION_VARIABLE];
  if (own) return own;
  if (process.platform !== 'linux') return undefined;
  let pid = parent;
  for (let n = 0; n < MAX_ANCESTORS && pid > 1; n++) {
    const found = variableOf(pid);
    if (found !== undefined) return found;
    pid = parentOf(pid);
  }
  return undefined;
}

/** As the program was started with it. */
function variableOf(pid: number): string | undefined {
  const start = `${SESSION_VARIABLE}=`;
  const found = read(`/proc/${pid}/environ`)
    .split('\0')
    .find((line) => line.startsWith(start));
  return found?.slice(start.length) || undefined;
}

function parentOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses, which may contain anything.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) || 0;
}

/** Empty for a program that has ended, or is of another user. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
