import { errorMessage } from '@agenthost/protocol/internal';
import type { AgentRegistry } from '../agentRegistry.js';
import { AgentInstallError, type AgentInstaller, type InstallProgress } from './agentInstaller.js';
import type { AgentPackage } from './agentPackage.js';

export interface AgentInstallationsOptions {
  readonly registry: AgentRegistry;
  readonly installer: AgentInstaller;
  readonly onProgress: (provider: string, progress: InstallProgress) => void;
}

/** This agent can't be installed: it is part of the host, or of the machine. */
export class NotInstallableError extends Error {}

class CancelledInstall extends Error {}

/** Installs and removes agents for the host's clients, and reports the outcome to all of them. */
export class AgentInstallations {
  readonly #options: AgentInstallationsOptions;
  readonly #running = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();

  constructor(options: AgentInstallationsOptions) {
    this.#options = options;
  }

  /** Starts an installation, unless one runs already. The registry reports the outcome, also when the client has left. */
  begin(provider: string): void {
    this.#begin(provider, this.#packageOf(provider));
  }

  #begin(provider: string, agent: AgentPackage): void {
    if (this.#running.has(provider)) return;
    const stop = new AbortController();
    this.#running.set(provider, { stop, done: this.#install(provider, agent, stop.signal) });
  }

  /** Installs the newest known version in place of the installed one. It is fetched beside it, and replaces it when it is complete. */
  beginUpdate(provider: string): void {
    const agent = this.#packageOf(provider);
    const version = this.#options.registry.newerVersion(provider);
    if (version === undefined) throw new AgentInstallError(`No newer version of ${provider} is known.`);
    this.#begin(provider, { ...agent, version });
  }

  /** Also stops a running installation. */
  async remove(provider: string): Promise<void> {
    this.#packageOf(provider);
    await this.#stop(provider);
    await this.#options.installer.remove(provider);
    await this.#options.registry.refresh();
  }

  /** Stops a running installation or update. What was installed before stays; nothing happens when none runs. */
  async cancel(provider: string): Promise<void> {
    this.#packageOf(provider);
    await this.#stop(provider);
  }

  async #stop(provider: string): Promise<void> {
    const running = this.#running.get(provider);
    running?.stop.abort(new CancelledInstall('the installation was cancelled'));
    await running?.done;
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
      // What was fetched is not wanted any more, unlike after an interruption.
      if (signal.reason instanceof CancelledInstall) await installer.discard(provider).catch(() => {});
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
