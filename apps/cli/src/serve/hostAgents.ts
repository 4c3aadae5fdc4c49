import { connect, type HostClient } from '@agenthost/client';
import type { FoundHost } from '@agenthost/host/discovery';
import type { AcpAgentReport } from '@agenthost/host/internal';
import { CommandError, EXIT } from '../commandError.js';
import { onInterrupt } from '../onInterrupt.js';

type Reports = () => Promise<readonly AcpAgentReport[]>;

/** The agents of a running host. Its knowledge counts; this command only adds the paths of the programs. */
export class HostAgents {
  readonly #host: HostClient;
  readonly #local: Reports;

  static async open(running: FoundHost & { readonly url: string }, local: Reports): Promise<HostAgents> {
    const token = process.env['AGENTHOST_TOKEN'] || running.token;
    try {
      const clientInfo = { name: 'agenthost agents' };
      return new HostAgents(await connect({ url: running.url, clientInfo, ...(token && { token }) }), local);
    } catch (cause) {
      const what = `A host runs on this state folder (process ${running.pid}), but it can't be reached: ${(cause as Error).message}`;
      throw new CommandError(
        EXIT.failed,
        what,
        'Set AGENTHOST_TOKEN as it was when the host was started, or stop the host.',
        {
          cause,
        },
      );
    }
  }

  private constructor(host: HostClient, local: Reports) {
    this.#host = host;
    this.#local = local;
  }

  async list(): Promise<readonly AcpAgentReport[]> {
    const local = new Map((await this.#local()).map((report) => [report.provider, report]));
    return this.#host.root.state.value.agents.map(({ provider, displayName, availability, login, models }) => {
      const { path, from, npm } = local.get(provider) ?? {};
      const where = availability.state === 'available' && path !== undefined && from !== undefined && { path, from };
      const names = models.map(({ name }) => name);
      const known = { ...(npm && { npm }), ...(login && { login }), ...(names.length > 0 && { models: names }) };
      return { provider, displayName, availability, ...where, ...known };
    });
  }

  add({ provider }: AcpAgentReport, onProgress: (message: string) => void): Promise<void> {
    return this.#install(provider, () => this.#host.installAgent(provider), onProgress);
  }

  update({ provider }: AcpAgentReport, onProgress: (message: string) => void): Promise<void> {
    return this.#install(provider, () => this.#host.updateAgent(provider), onProgress);
  }

  async #install(provider: string, begin: () => Promise<void>, onProgress: (message: string) => void): Promise<void> {
    const progress = this.#host.onNotification((event) => {
      if (event.type === 'notify/progress' && event.token === `installAgent/${provider}`) onProgress(event.message);
    });
    try {
      // The host reinstalls an installed agent, so its state is reported twice, and the second one is the outcome.
      const outcome = this.#outcome(provider);
      await begin();
      let isCancelled = false;
      const cancel = () => {
        isCancelled = true;
        // An older host can't cancel it: then it goes on there, as it says.
        this.#host.cancelInstall(provider, { timeoutMs: 60_000 }).catch((error: Error) => onProgress(error.message));
      };
      const failure = await onInterrupt(cancel, () => outcome);
      if (isCancelled) throw new CommandError(EXIT.failed, 'Cancelled.', 'Run the same command again to install it.');
      if (failure !== undefined) throw new CommandError(EXIT.failed, failure, 'Fix that, then try again.');
    } finally {
      progress.dispose();
    }
  }

  async remove({ provider }: AcpAgentReport): Promise<void> {
    await this.#host.removeAgent(provider, { timeoutMs: 300_000 });
  }

  close(): void {
    this.#host.close();
  }

  /** Why it can't be used after its installation, if it can't. */
  #outcome(provider: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      let began = false;
      const watching = this.#host.root.state.subscribe(({ agents }) => {
        const state = agents.find((agent) => agent.provider === provider)?.availability;
        if (state?.state === 'installing') began = true;
        if (!began || state?.state === 'installing') return;
        watching.dispose();
        resolve(state?.state === 'unavailable' ? state.reason : undefined);
      });
    });
  }
}
