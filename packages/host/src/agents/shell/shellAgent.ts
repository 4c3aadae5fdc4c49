import type { AvailableAgent, ModelInfo, UnavailableAgent } from '@agenthost/protocol';
import type { Agent, AgentDescriptor, AgentSession, OpenSessionOptions } from '../agent.js';
import { findShell } from './findShell.js';
import type { ShellSession } from './shellSession.js';

export interface ShellAgentOptions {
  /** The shell to use, if it is supported. Defaults to the user's own ($SHELL). */
  readonly shell?: string;
  readonly platform?: NodeJS.Platform;
}

/**
 * The embedded agent: runs what the user types as a command. Needs no model, no key and no network.
 *
 * @example
 * ```ts
 * const host = await Host.start({ agents: [new ShellAgent({ shell: '/bin/bash' })] });
 * ```
 */
export class ShellAgent implements Agent {
  readonly descriptor: AgentDescriptor = {
    provider: 'shell',
    displayName: 'Shell',
    description: "Runs what you type as a command in the session's folder.",
    icon: 'terminal',
    runsInput: true,
  };
  readonly outlivesHost = true;
  readonly #shell: string | undefined;
  readonly #platform: NodeJS.Platform;
  readonly #sessions = new Set<ShellSession>();
  #disposed = false;

  constructor({ shell = process.env['SHELL'] ?? '', platform = process.platform }: ShellAgentOptions = {}) {
    this.#shell = shell;
    this.#platform = platform;
  }

  async availability(): Promise<AvailableAgent | UnavailableAgent> {
    if (this.#platform === 'win32') {
      const howToFix = 'Run the host in the Windows Subsystem for Linux (WSL).';
      return { state: 'unavailable', reason: 'It needs a POSIX shell, which Windows does not have.', howToFix };
    }
    if (await findShell(this.#shell)) return { state: 'available' };
    const howToFix = 'Install bash, or make /bin/sh executable for this user.';
    return { state: 'unavailable', reason: 'There is no POSIX shell on this machine.', howToFix };
  }

  async listModels(): Promise<readonly ModelInfo[]> {
    return [];
  }

  async openSession(options: OpenSessionOptions): Promise<AgentSession> {
    const availability = await this.availability();
    if (availability.state === 'unavailable') throw new Error(`${availability.reason} ${availability.howToFix}`);
    const shell = await findShell(this.#shell);
    if (!shell) throw new Error('There is no POSIX shell on this machine.');
    const { sessionId, resume, tempFiles, outliving } = options;
    // Loaded with the first session.
    const [{ ShellMemory }, { ShellSession: Sessions }] = await Promise.all([
      import('./shellMemory.js'),
      import('./shellSession.js'),
    ]);
    const memory = new ShellMemory(options);
    if (resume !== undefined) await memory.resume();
    options.signal.throwIfAborted();
    if (this.#disposed) throw new Error('the agent is disposed of');
    const session: ShellSession = new Sessions({
      sessionId,
      shell,
      memory,
      tempFiles,
      outliving,
      resumed: resume !== undefined,
      onDispose: () => this.#sessions.delete(session),
    });
    this.#sessions.add(session);
    return session;
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    await Promise.all([...this.#sessions].map((session) => session.dispose()));
  }
}
