import type { Author, TestRun } from '@agenthost/protocol';
import { errorMessage, MAX_TEST_OUTPUT } from '@agenthost/protocol/internal';
import { GitError } from '../gitError.js';
import { ChecksError } from './checksError.js';
import type { ProjectChecks } from './projectChecks.js';
import { type CommandEnd, runCommand } from './runCommand.js';

export interface SessionChecksOptions {
  /** Empty while it is on another machine. */
  readonly folder: () => string;
  /** The folder whose command it is: the same for all worktrees of a project. */
  readonly projectFolder: () => Promise<string>;
  readonly project: ProjectChecks;
  /** Without the host's secrets, and with the mark that ends what a killed host leaves. */
  readonly env: Readonly<Record<string, string>>;
  readonly isTrusted: () => boolean;
  /** What the session's state has. */
  readonly current: () => TestRun | undefined;
  readonly tell: (tests: TestRun) => void;
  readonly newId: () => string;
  readonly now: () => number;
}

/** The tests of a project in the folder of one session: one run at a time, which any driver starts and stops. */
export class SessionChecks {
  readonly #options: SessionChecksOptions;
  #run: { readonly ending: AbortController; readonly ended: Promise<void> } | undefined;
  #isClosed = false;

  constructor(options: SessionChecksOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  async command(): Promise<string | undefined> {
    const { project, projectFolder } = this.#options;
    return this.#options.folder() === '' ? undefined : project.commandOf(await projectFolder());
  }

  /** Begins a run. What comes of it is told. */
  async run(given: string | undefined, by: Author): Promise<{ readonly id: string }> {
    this.#mustBeFree();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const run = { ending: new AbortController(), ended };
    this.#run = run;
    const free = (): void => {
      this.#run = undefined;
      resolve();
    };
    try {
      const command = await this.#commandFor(given);
      const { newId, now, tell } = this.#options;
      const begun: TestRun = { id: newId(), command, by, status: 'waiting', startedAt: now() };
      tell(begun);
      void this.#follow(begun, run.ending.signal).finally(free);
      return { id: begun.id };
    } catch (error) {
      free();
      throw error;
    }
  }

  /** Resolves when no process of the run is left. */
  async stop(): Promise<void> {
    const run = this.#run;
    run?.ending.abort();
    await run?.ended;
  }

  /** The host has ended in the middle of a run. */
  recover(): void {
    const { current, tell, now } = this.#options;
    const tests = current();
    if (tests && isOpen(tests) && !this.#run) tell({ ...tests, status: 'lost', endedAt: now() });
  }

  /** The session ends, or is unloaded: nobody is told any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop();
  }

  #mustBeFree(): void {
    const { folder, isTrusted } = this.#options;
    if (folder() === '' || this.#isClosed) {
      throw new ChecksError('away', 'The folder of this session is not here now. Try again when its machine is back.');
    }
    if (!isTrusted()) {
      throw new ChecksError(
        'notTrusted',
        'The folder is not trusted, so its tests are not run. Send the agent a message and answer its question about trust first.',
      );
    }
    if (this.#run) {
      throw new ChecksError('running', 'The tests of this session run already. Stop them, or wait for their end.');
    }
  }

  async #commandFor(given: string | undefined): Promise<string> {
    const { project, projectFolder } = this.#options;
    const folder = await projectFolder();
    if (given !== undefined) await project.keep(folder, given);
    const command = given ?? (await project.commandOf(folder));
    if (command !== undefined) return command;
    throw new ChecksError('noCommand', 'Nobody has said how the tests of this project are run. Give a command.');
  }

  async #follow(begun: TestRun, signal: AbortSignal): Promise<void> {
    const { project, folder, env, now, tell } = this.#options;
    const { command } = begun;
    let end: CommandEnd;
    try {
      end = await project.queue.run(signal, () => {
        if (!this.#isClosed && !signal.aborted) tell({ ...begun, status: 'running', startedAt: now() });
        return runCommand({
          command,
          cwd: folder(),
          env,
          timeoutMs: project.limitMs,
          maxOutput: MAX_TEST_OUTPUT,
          signal,
        });
      });
    } catch (error) {
      const isStopped = error instanceof GitError && error.problem === 'aborted';
      const isBusy = error instanceof GitError && error.problem === 'busy';
      const output = isBusy ? 'Too many tests wait on this host already. Try again later.' : errorMessage(error);
      end = { how: isStopped ? 'stopped' : 'failed', output: isStopped ? '' : output, isCut: false };
    }
    if (this.#isClosed) return;
    const { how, exitCode, output, isCut } = end;
    tell({
      ...(this.#options.current() ?? begun),
      status: how,
      endedAt: now(),
      ...(exitCode !== undefined && { exitCode }),
      output,
      ...(isCut && { isCut }),
    });
  }
}

function isOpen({ status }: TestRun): boolean {
  return status === 'waiting' || status === 'running';
}
