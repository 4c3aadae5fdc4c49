import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';

export interface Shell {
  readonly path: string;
  /** Arguments before `-c`. Start-up files of the user's interactive shell aren't read: they may print or wait for input. */
  readonly args: readonly string[];
  /** The word that reaches a builtin which the user's script may have replaced by a function. */
  readonly builtin: 'builtin' | 'command';
}

const ARGS: Readonly<Record<string, readonly string[]>> = { zsh: ['-f'], bash: [], sh: [], dash: [], ksh: [], ash: [] };

/** The user's own shell if commands can be wrapped in its language, else bash, else sh. */
export async function findShell(preferred: string | undefined): Promise<Shell | undefined> {
  for (const path of [preferred, '/bin/bash', '/usr/bin/bash', '/bin/sh', '/usr/bin/sh']) {
    if (path === undefined || !isAbsolute(path)) continue;
    const name = basename(path);
    const args = Object.hasOwn(ARGS, name) ? ARGS[name] : undefined;
    if (!args || !(await isExecutable(path))) continue;
    return { path, args, builtin: name === 'bash' || name === 'zsh' ? 'builtin' : 'command' };
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
