import type { Shell } from './findShell.js';

/** Linux accepts no single argument of more than 128 KiB. */
const MAX_SCRIPT_BYTES = 120_000;

/** Why a command can't be run at all, as a sentence for the user. */
export class UnrunnableCommand extends Error {}

/**
 * The script that runs a command and then saves the working directory and the environment to a separate file, so that nothing
 * of it mixes with the command's output.
 *
 * - Job control is on, as at a prompt: a background job outlives its command, and the end of the terminal doesn't stop it.
 * - A command reads from the terminal what users type into it, see `TerminalInput`.
 * - The state is saved by a trap, so that `exit`, `set -e` and syntax errors save it too. `exec` and SIGKILL don't: then
 *   the state before the command stays. It is saved after the command as well, for one that sets a trap itself.
 */
export function commandScript(command: string, stateFile: string, { builtin }: Shell): string {
  if (command.includes('\0')) throw new UnrunnableCommand('A command cannot contain a NUL character.');
  // Everything is on the command's line, so that the shell's messages count the command's own lines from 1.
  const save = [
    '__agenthost_status=$?; set +exuv',
    `(umask 077; /usr/bin/env -0 && ${builtin} printf '%s\\0' "$(${builtin} pwd)" saved) >|${quoted(stateFile)}`,
    'return $__agenthost_status',
  ].join('; ');
  // Bash saves at Ctrl+C by itself.
  const onInterrupt = builtin === 'builtin' ? '' : `; trap 'exit 130' INT`;
  const before = `set -m; __agenthost_save() { ${save}; }; trap '{ __agenthost_save; } 2>/dev/null' EXIT${onInterrupt}`;
  const script = `${before}; eval ${quoted(command)}\n{ __agenthost_save; } 2>/dev/null`;
  if (Buffer.byteLength(script) > MAX_SCRIPT_BYTES) {
    throw new UnrunnableCommand('The command is too long. Put it into a file and run that.');
  }
  return script;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
