import type { Shell } from './findShell.js';

/** Linux takes no single argument of more than 128 KiB. */
const MAX_SCRIPT_BYTES = 120_000;

/** What can't be run at all, as a sentence for the user. */
export class UnrunnableCommand extends Error {}

/**
 * The script that runs a command and afterwards saves the working directory and the environment to a file of its own, so
 * that nothing of it can get between the command's output.
 *
 * - Job control is on, as at a prompt: a job in the background outlives its command, and the terminal's end doesn't take it.
 * - There is no input: what reads its standard input finds the end of it at once instead of waiting for nobody.
 * - The state is saved by a trap, so that `exit`, `set -e` and syntax errors save it too. `exec` and SIGKILL don't: then
 *   the state before the command holds. It is saved after the command as well, for one that sets a trap itself.
 */
export function commandScript(command: string, stateFile: string, { builtin }: Shell): string {
  if (command.includes('\0')) throw new UnrunnableCommand('A command cannot contain a NUL character.');
  // All on the line of the command: the shell's messages then count the command's own lines, from 1.
  const save = [
    '__agenthost_status=$?; set +exuv',
    `(umask 077; /usr/bin/env -0 && ${builtin} printf '%s\\0' "$(${builtin} pwd)" saved) >|${quoted(stateFile)}`,
    'return $__agenthost_status',
  ].join('; ');
  const before = `exec </dev/null; set -m; __agenthost_save() { ${save}; }; trap '{ __agenthost_save; } 2>/dev/null' EXIT`;
  const script = `${before}; eval ${quoted(command)}\n{ __agenthost_save; } 2>/dev/null`;
  if (Buffer.byteLength(script) > MAX_SCRIPT_BYTES) {
    throw new UnrunnableCommand('The command is too long. Put it into a file and run that.');
  }
  return script;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
