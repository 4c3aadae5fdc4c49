import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export const LOCK_FILE = 'host.lock';
export const KERNEL_LOCK_FILE = 'host.lock.kernel';

export interface StateRootPlace {
  /** What the user asked for; before everything else. */
  readonly path?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
}

/** Where the host keeps what it keeps. */
export function resolveStateRoot({ path, env, home }: StateRootPlace): string {
  const asked = path || env['AGENTHOST_HOME'];
  if (asked) return resolve(asked);
  const xdg = env['XDG_STATE_HOME'];
  // The specification: a relative path in there is to be ignored.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'agenthost');
  return join(home ?? homedir(), '.agenthost');
}
