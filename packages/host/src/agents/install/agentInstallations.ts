import { errorMessage } from '@agenthost/protocol/internal';
import type { AgentRegistry } from '../agentRegistry.js';
import type { AgentInstaller, InstallProgress } from './agentInstaller.js';
import type { AgentPackage } from './agentPackage.js';

export interface AgentInstallationsOptions {
  readonly registry: AgentRegistry;
  readonly installer: AgentInstaller;
  readonly onProgress: (provider: string, progress: InstallProgress) => void;
}

/** This agent can't be installed: it is part of the host, or of the machine. */
export class NotInstallableError extends Error {}

/** Installs and removes agents for the host's clients, and reports the outcome to all of them. */
export class AgentInstallations {
  readonly #options: AgentInstallationsOptions;
  readonly #running = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();

  constructor(options: AgentInstallationsOptions) {
    this.#options = options;
  }

  /** Starts an installation, unless one runs already. The registry reports the outcome, also when the client has left. */
  begin(provider: string): void {
    const agent = this.#packageOf(provider);
    if (this.#running.has(provider)) return;
    const stop = new AbortController();
    this.#running.set(provider, { stop, done: this.#install(provider, agent, stop.signal) });
  }

  /** Also stops a running installation. */
  async remove(provider: string): Promise<void> {
    this.#packageOf(provider);
    const running = this.#running.get(provider);
    running?.stop.abort(new Error('the installation was cancelled'));
    await running?.done;
    await this.#options.installer.remove(provider);
    await this.#options.registry.refresh();
  }

  async dispose(): Promise<void> {
    const all = [...this.#running.values()];
    for (const { stop } of all) stop.abort(new Error('the host stops'));
    await Promise.all(all.map(({ done }) => done));
  }

  /** Never rejects. */
  async #install(provider: string, agent: AgentPackage, signal: AbortSignal): Promise<void> {
    const { registry, installer } = this.#options;
    const onProgress = (progress: InstallProgress) => this.#options.onProgress(provider, progress);
    registry.beginInstalling(provider);
    let failure: string | undefined;
    try {
      await installer.install(provider, agent, { signal, onProgress });
    } catch (error) {
      const message = errorMessage(error);
      if (!signal.aborted) failure = `It could not be installed: ${message}`;
      onProgress({ message: failure ?? 'Cancelled' });
    }
    this.#running.delete(provider);
    await registry.endInstalling(provider, failure);
  }

  #packageOf(provider: string): AgentPackage {
    const agent = this.#options.registry.get(provider)?.npmPackage;
    if (!agent) throw new NotInstallableError(`there is nothing to install or to remove for ${provider}`);
    return agent;
  }
}
