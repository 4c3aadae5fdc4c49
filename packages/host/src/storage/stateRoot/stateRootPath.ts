import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export const LOCK_FILE = 'host.lock';
export const KERNEL_LOCK_FILE = 'host.lock.kernel';

export interface StateRootPlace {
  /** The user's choice, which has precedence. */
  readonly path?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
}

/** The path of the state root. */
export function resolveStateRoot({ path, env, home }: StateRootPlace): string {
  const asked = path || env['AGENTHOST_HOME'];
  if (asked) return resolve(asked);
  const xdg = env['XDG_STATE_HOME'];
  // The specification says that a relative path is to be ignored.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'agenthost');
  return join(home ?? homedir(), '.agenthost');
}
