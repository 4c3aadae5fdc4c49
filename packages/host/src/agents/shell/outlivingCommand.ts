import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import { findProcesses } from '../../processes/processList.js';
import { CANCEL_STAGES, stopProcesses } from '../../processes/stopProcesses.js';
import type { Keyboard } from '../../processes/terminalWriter.js';
import type { Outliving } from '../agent.js';
import type { ProgramInfo } from '../runner/runnerProtocol.js';
import type { FollowedProgram } from '../runner/sessionRunner.js';
import { attachmentFiles } from './attachmentFiles.js';
import { commandScript } from './commandScript.js';
import { OutputBatcher } from './outputBatcher.js';
import {
  COLUMNS,
  type CommandOutcome,
  GIVE_UP_MS,
  ROWS,
  readSaved,
  type ShellCommandOptions,
  signalName,
  TERMINAL_ID,
} from './shellCommand.js';

/** How often the runner is told what is stored. */
const KEEP_MS = 200;
/** Typed bytes that may be on their way; the others wait here, where they can be dropped. */
const MAX_UNTYPED = 4_096;

/** Starts a command in the runner, where it goes on without this host. Its files are in the folder of the program. */
export async function startOutliving(
  { folder, note }: ProgramInfo,
  { runner }: Outliving,
  options: ShellCommandOptions,
): Promise<ProgramInfo> {
  const { shell, command, env, signal, cwd, terminalId } = options;
  const script = commandScript(command, stateFileIn(folder), shell);
  const attached = await attachmentFiles(options.attachments ?? [], folder);
  signal.throwIfAborted();
  const terminal = `${terminalId}.${randomUUID()}`;
  const name = env.get('TERM') ?? 'xterm-256color';
  return runner.start(
    {
      file: shell.path,
      args: [...shell.args, '-c', script, basename(shell.path)],
      cwd,
      env: { ...Object.fromEntries(env), ...attached, [TERMINAL_ID]: terminal },
      pty: { name, columns: COLUMNS, rows: ROWS },
    },
    { ...note, command, terminal },
  );
}

/** Reads the output of a command from this byte on until it ends. Resolves as `runShellCommand` does. */
export async function followOutliving(
  program: ProgramInfo,
  from: number,
  { runner, stored }: Outliving,
  options: Pick<ShellCommandOptions, 'signal' | 'input' | 'onOutput' | 'onStarted'>,
): Promise<CommandOutcome> {
  const { signal, input } = options;
  const text = new StringDecoder('utf8');
  let isOver = false;
  let told = from;
  let kept = from;
  let isKeeping = false;
  /** What can't be stored ends the turn, and with it this. */
  const keep = async () => {
    if (isKeeping) return;
    isKeeping = true;
    while (!isOver && kept < told) {
      await delay(KEEP_MS);
      const upTo = told;
      await stored().then(
        () => {
          kept = upTo;
          followed.stored(upTo);
        },
        () => {},
      );
    }
    isKeeping = false;
  };
  const batcher = new OutputBatcher({
    emit: (output) => {
      told += Buffer.byteLength(output);
      options.onOutput(output);
      void keep();
    },
    pause: () => followed.pause(),
    resume: () => followed.resume(),
    // The runner keeps what comes late.
    isAlive: () => true,
  });
  const followed: FollowedProgram = await runner.follow(program, from, (bytes) => batcher.push(text.write(bytes)));
  input.attachTo(keyboardOf(followed), followed.pid);
  options.onStarted?.(batcher);
  const query = { marker: `${TERMINAL_ID}=${String(program.note['terminal'])}`, sid: followed.pid };
  const stopped = new Promise<void>((resolve) => {
    const stop = () => resolve(stopProcesses(() => findProcesses(query), CANCEL_STAGES).then(() => {}));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const forget = () => signal.removeEventListener('abort', stop);
    followed.exited.then(forget, forget);
  });
  try {
    const exit = await Promise.race([
      followed.exited,
      stopped.then(() => delay(GIVE_UP_MS, undefined, { ref: false })),
    ]);
    if (signal.aborted) await stopped;
    batcher.end();
    const saved = await savedBy(program);
    const ended = exit ?? { exitCode: 137 };
    const outcome = ended.signal
      ? { exitCode: 128 + ended.signal, signal: signalName(ended.signal) }
      : { exitCode: ended.exitCode };
    return { ...outcome, ...(saved !== undefined && { saved }) };
  } finally {
    isOver = true;
    input.end();
    batcher.end();
  }
}

/** The state that the command of a program has saved, if it has. */
export function savedBy({ folder }: ProgramInfo): Promise<string | undefined> {
  return readSaved(stateFileIn(folder));
}

function stateFileIn(folder: string): string {
  return join(folder, 'state');
}

function keyboardOf(program: FollowedProgram): Keyboard {
  return {
    get isGone() {
      return program.isGone;
    },
    take(bytes) {
      const count = Math.min(bytes.length, MAX_UNTYPED - program.untyped);
      if (count <= 0) return 0;
      program.type(bytes.subarray(0, count));
      return count;
    },
    drop: () => program.dropTyped(),
  };
}
