import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { settleWithin } from '../settleWithin.js';
import { ownMarker } from './orphanAgents.js';

const PROGRAM = join(import.meta.dirname, 'agentGuardProgram.js');
const END_MS = 5_000;
const BYTE_MS = 1_000;
/** A byte says which part of a lease remains. */
const WHOLE_LEASE = 255;

/** How long the agents of a host on a database may go on without it. */
export interface AgentLease {
  readonly ms: number;
  /** What remains of it if the host falls silent now; 0 when the host has nothing to run agents for. */
  readonly leftMs: () => number;
}

/**
 * A small process that outlives the host's process: when the host ends in any way, it ends the remaining agents. Without it they
 * would run until the next start on the state root, because a process can't react to SIGKILL.
 *
 * With a lease it gets a byte each second. Without one for the time that the last byte named, it ends the agents too: the host is
 * stopped or hangs, and another one is about to go on with its sessions (FEN7).
 *
 * For a process that is only a host: it uses the built package, and there is one guard per state root.
 */
export class AgentGuard {
  readonly #child: ChildProcess;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(stateDir: string, lease?: AgentLease) {
    // It runs in its own session, so that Ctrl+C of a terminal doesn't reach it; its standard input ends with the host.
    this.#child = spawn(process.execPath, [PROGRAM, ownMarker(stateDir), ...(lease ? [String(lease.ms)] : [])], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {},
      detached: true,
    });
    // Where it can't be started, the next start still ends orphan agents.
    this.#child.on('error', () => {});
    this.#child.stdin?.on('error', () => {});
    this.#child.unref();
    if (!lease) return;
    this.#tell(lease);
    this.#timer = setInterval(() => this.#tell(lease), Math.min(BYTE_MS, lease.ms / 4)).unref();
  }

  /** For a host that has ended its agents itself; if that failed, the guard is left running. Resolves when it has ended. */
  async dispose(): Promise<void> {
    clearInterval(this.#timer);
    const { exitCode, signalCode, pid } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    this.#child.ref();
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await settleWithin(END_MS, ended);
  }

  #tell({ ms, leftMs }: AgentLease): void {
    const { stdin } = this.#child;
    const left = Math.min(Math.round((leftMs() / ms) * WHOLE_LEASE), WHOLE_LEASE);
    // A guard that takes none is gone, or sleeps with this machine.
    if (left > 0 && stdin?.writable && !stdin.writableNeedDrain) stdin.write(Uint8Array.of(left));
  }
}
