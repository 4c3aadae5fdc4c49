import { randomUUID } from 'node:crypto';
import { errorMessage } from '@agenthost/protocol/internal';
import type { SessionFs } from '../../storage/fs/sessionFs.js';
import {
  applyChanges,
  isTooLarge,
  loadShellState,
  NO_CHANGES,
  parseSavedState,
  type ShellState,
  storeShellState,
} from './shellState.js';

export interface ShellMemoryOptions {
  readonly sessionId: string;
  /** The project folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly sessionFs: SessionFs;
}

/** A client's file system may hang: a turn doesn't wait for it for ever. */
const STORE_TIMEOUT_MS = 1_000;

/** Keeps working directory and environment from command to command, also across a restart of the host. */
export class ShellMemory {
  readonly #options: ShellMemoryOptions;
  readonly #base: ReadonlyMap<string, string>;
  readonly #notices: string[] = [];
  #terminalId: string = randomUUID();
  #state: ShellState;
  #stored = Promise.resolve();

  constructor(options: ShellMemoryOptions) {
    this.#options = options;
    this.#base = terminalEnvironment(options.env);
    this.#state = { cwd: options.cwd, changes: NO_CHANGES };
  }

  /** Continues where the session stopped, if that was stored; otherwise it starts fresh and says so. */
  async resume(): Promise<void> {
    try {
      const stored = await loadShellState(this.#options.sessionFs);
      if (!stored) return;
      this.#state = { cwd: stored.cwd, changes: stored.changes };
      // Jobs that a killed host left belong to the session again, and end with it.
      if (stored.sessionId === this.#options.sessionId) this.#terminalId = stored.terminalId;
    } catch {
      this.#notices.push(`The terminal's folder and environment could not be restored; starting in ${this.cwd}.`);
    }
  }

  /** In the environment of every process that the session starts. */
  get terminalId(): string {
    return this.#terminalId;
  }

  get cwd(): string {
    return this.#state.cwd;
  }

  env(): Map<string, string> {
    return applyChanges(this.#base, this.#state.changes);
  }

  forgetCwd(): void {
    this.#state = { ...this.#state, cwd: this.#options.cwd };
  }

  /** A notice for the user, once. */
  takeNotices(): string[] {
    return this.#notices.splice(0);
  }

  /** Takes over what a command saved; resolves when it is stored or that failed. */
  async remember(saved: string): Promise<void> {
    const next = parseSavedState(saved, this.#base);
    if (!next) return;
    const tooLarge = isTooLarge(next.changes);
    if (tooLarge) this.#notices.push('The environment has become too large; its changes were not kept.');
    this.#state = { cwd: next.cwd, changes: tooLarge ? this.#state.changes : next.changes };
    await this.#store();
  }

  async #store(): Promise<void> {
    const { sessionFs, sessionId } = this.#options;
    const state = { ...this.#state, sessionId, terminalId: this.#terminalId };
    const timeout = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error('it took too long')), STORE_TIMEOUT_MS).unref();
    });
    // Writes one after the other, even if one took too long: the newest must be the last.
    this.#stored = this.#stored.then(
      () => storeShellState(sessionFs, state),
      () => storeShellState(sessionFs, state),
    );
    try {
      await Promise.race([this.#stored, timeout]);
    } catch (error) {
      const why = errorMessage(error);
      this.#notices.push(`The terminal's folder and environment could not be stored (${why}).`);
    }
  }
}

/** What the host passes, and what a terminal needs: nothing else of the host's environment. */
function terminalEnvironment(given: Readonly<Record<string, string>>): Map<string, string> {
  const env = new Map(Object.entries(given));
  env.set('TERM', 'xterm-256color');
  // There is no keyboard: a pager would show the first page and wait for ever.
  env.set('PAGER', 'cat');
  env.set('GIT_PAGER', 'cat');
  if (!['LC_ALL', 'LC_CTYPE', 'LANG'].some((name) => env.has(name))) env.set('LANG', 'C.UTF-8');
  return env;
}
