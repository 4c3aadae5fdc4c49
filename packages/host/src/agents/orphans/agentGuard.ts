import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { settleWithin } from '../settleWithin.js';
import { ownMarker } from './orphanAgents.js';

const PROGRAM = join(import.meta.dirname, 'agentGuardProgram.js');
const END_MS = 5_000;

/**
 * A small process that outlives the host's: when that is gone, however it went, it ends the agents that are left. Without it
 * they would stay until the next start on the state root, because nobody can act on a SIGKILL.
 *
 * For the process that is a host and nothing else: it is of the built package, and there is one for each state root.
 */
export class AgentGuard {
  readonly #child: ChildProcess;

  constructor(stateDir: string) {
    // A session of its own, so that a terminal's Ctrl+C is not for it; its standard input ends with the host.
    this.#child = spawn(process.execPath, [PROGRAM, ownMarker(stateDir)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {},
      detached: true,
    });
    // A machine on which it can't be started still has the clearing up of the next start.
    this.#child.on('error', () => {});
    this.#child.stdin?.on('error', () => {});
    this.#child.unref();
  }

  /** For a host that has ended its agents itself; where that failed it is better left to see to it. Resolves when it is gone. */
  async dispose(): Promise<void> {
    const { exitCode, signalCode, pid } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    this.#child.ref();
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await settleWithin(END_MS, ended);
  }
}
