import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { settleWithin } from '../settleWithin.js';
import { ownMarker } from './orphanAgents.js';

const PROGRAM = join(import.meta.dirname, 'agentGuardProgram.js');
const END_MS = 5_000;

/**
 * A small process that outlives the host's process: when the host ends in any way, it ends the remaining agents. Without it they
 * would run until the next start on the state root, because a process can't react to SIGKILL.
 *
 * For a process that is only a host: it uses the built package, and there is one guard per state root.
 */
export class AgentGuard {
  readonly #child: ChildProcess;

  constructor(stateDir: string) {
    // It runs in its own session, so that Ctrl+C of a terminal doesn't reach it; its standard input ends with the host.
    this.#child = spawn(process.execPath, [PROGRAM, ownMarker(stateDir)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {},
      detached: true,
    });
    // Where it can't be started, the next start still ends orphan agents.
    this.#child.on('error', () => {});
    this.#child.stdin?.on('error', () => {});
    this.#child.unref();
  }

  /** For a host that has ended its agents itself; if that failed, the guard is left running. Resolves when it has ended. */
  async dispose(): Promise<void> {
    const { exitCode, signalCode, pid } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    this.#child.ref();
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await settleWithin(END_MS, ended);
  }
}
