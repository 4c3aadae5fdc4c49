import type { ConnectionState, Disposable, HostClient, Observable } from '@agenthost/client';
import { Emitter, type Event } from '@agenthost/client/internal';
import type { AgentInfo, ProgressNotification, ServerInfo } from '@agenthost/protocol';
import { computed, observable, tracked } from '../observable.js';

/**
 * The state of the host itself: whether it can be reached, and which agents it can run.
 *
 * @example
 * ```ts
 * const { status } = new AgentHostProvider(host);
 * status.connection.subscribe(({ state }) => console.log(state));
 * console.log(await status.measureLatency());
 * ```
 */
export class HostStatus {
  readonly connection: Observable<ConnectionState>;
  /** Since when what is shown may be out of date, in milliseconds since 1970; nothing while connected. */
  readonly staleSince: Observable<number | undefined>;
  /** Every agent that the host knows, also those that have to be installed first. */
  readonly agents: Observable<readonly AgentInfo[]>;
  /** How something that takes long gets on, such as the installation of an agent. */
  readonly onProgress: Event<ProgressNotification>;
  readonly #host: HostClient;
  readonly #following: Disposable[];

  constructor(host: HostClient) {
    this.#host = host;
    this.connection = host.connection;
    const root = tracked(host.root.state);
    this.agents = computed(() => root.value.agents);
    const staleSince = observable<number | undefined>(undefined);
    const progress = new Emitter<ProgressNotification>();
    this.staleSince = staleSince;
    this.onProgress = progress.event;
    this.#following = [
      host.connection.subscribe(({ state }) => {
        if (state === 'connected') staleSince.set(undefined);
        else if (staleSince.value === undefined) staleSince.set(Date.now());
      }),
      host.onNotification((event) => {
        if (event.type === 'notify/progress') progress.fire(event);
      }),
    ];
  }

  get serverInfo(): ServerInfo | undefined {
    return this.#host.serverInfo;
  }

  /** Ends the wait for the next attempt to connect. */
  retryNow(): void {
    this.#host.retryNow();
  }

  /** How long the way to the host and back takes, in milliseconds. */
  async measureLatency(signal?: AbortSignal): Promise<number> {
    const start = performance.now();
    await this.#host.ping({ signal });
    return performance.now() - start;
  }

  installAgent(provider: string): Promise<void> {
    return this.#host.installAgent(provider);
  }

  removeAgent(provider: string): Promise<void> {
    return this.#host.removeAgent(provider);
  }

  dispose(): void {
    for (const one of this.#following) one.dispose();
  }
}
