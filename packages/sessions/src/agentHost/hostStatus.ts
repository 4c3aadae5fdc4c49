import {
  type ConnectionState,
  type Disposable,
  type FilesClient,
  type HostClient,
  type LoginClient,
  type Observable,
  type SessionTerminals,
  SeveralSessions,
  type WorkClient,
} from '@agenthost/client';
import { Emitter, type Event } from '@agenthost/client/internal';
import type { AgentIcon, AgentInfo, ProgressNotification, ServerInfo } from '@agenthost/protocol';
import { computed, observable, tracked } from '../observable.js';
import type { SessionType } from '../providers/sessionsProvider.js';

/** Of an agent that names no icon. */
export const ANY_AGENT = 'chip' satisfies AgentIcon;

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
  /** Why nothing can be stored at the moment, ready to display; nothing while all is well. */
  readonly trouble: Observable<string | undefined>;
  readonly #host: HostClient;
  readonly #following: Disposable[];
  #types: { readonly of: readonly AgentInfo[]; readonly types: readonly SessionType[] } | undefined;

  constructor(host: HostClient) {
    this.#host = host;
    this.connection = host.connection;
    const root = tracked(host.root.state);
    this.agents = computed(() => root.value.agents);
    const staleSince = observable<number | undefined>(undefined);
    const progress = new Emitter<ProgressNotification>();
    const trouble = observable<string | undefined>(undefined);
    this.staleSince = staleSince;
    this.trouble = trouble;
    this.onProgress = progress.event;
    this.#following = [
      host.connection.subscribe(({ state }) => {
        // A host that still has it tells it again.
        if (state !== 'connected') trouble.set(undefined);
        if (state === 'connected') staleSince.set(undefined);
        else if (staleSince.value === undefined) staleSince.set(Date.now());
      }),
      host.onNotification((event) => {
        if (event.type !== 'notify/progress') return;
        if (event.token === 'database') trouble.set(event.done === event.total ? undefined : event.message);
        progress.fire(event);
      }),
    ];
  }

  /** The agents as types of sessions: the same list while the agents are the same. */
  get sessionTypes(): readonly SessionType[] {
    const agents = this.agents.value;
    if (this.#types?.of !== agents) this.#types = { of: agents, types: agents.map(sessionTypeOf) };
    return this.#types.types;
  }

  /** One prompt to several agents. */
  get several(): SeveralSessions {
    return new SeveralSessions(this.#host);
  }

  get serverInfo(): ServerInfo | undefined {
    return this.#host.serverInfo;
  }

  /** Whether a conversation can be handed over to another agent. */
  get canHandOver(): boolean {
    return this.#host.capabilities.handOver === true;
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

  updateAgent(provider: string): Promise<void> {
    return this.#host.updateAgent(provider);
  }

  /** Ends the installation or the update of an agent. The version that was there before stays. */
  cancelInstall(provider: string): Promise<void> {
    return this.#host.cancelInstall(provider);
  }

  /** The terminals of a session. */
  terminalsOf(session: string): SessionTerminals {
    return this.#host.terminalsOf(session);
  }

  /** The files of sessions' folders as git sees them. */
  get work(): WorkClient {
    return this.#host.work;
  }

  /** The files themselves. */
  get files(): FilesClient {
    return this.#host.files;
  }

  /** Calls back when the files of a session's folder have changed. */
  watchWork(session: string, changed: () => void): Disposable {
    return this.#host.onNotification((event) => {
      if (event.type === 'notify/workChanged' && event.session === session) changed();
    });
  }

  /** Log-ins to agents; only for owners. */
  get logins(): LoginClient {
    return this.#host.logins;
  }

  dispose(): void {
    for (const one of this.#following) one.dispose();
  }
}

function sessionTypeOf({ provider, displayName, description, availability, icon = ANY_AGENT }: AgentInfo): SessionType {
  return { id: provider, label: displayName, icon, description, availability };
}
