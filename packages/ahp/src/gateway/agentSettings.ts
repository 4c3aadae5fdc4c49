import type { HostClient } from '@agenthost/client';
import type { SessionSetting } from '@agenthost/protocol';
import { dropOldest } from '@agenthost/protocol/internal';

const MAX_PROVIDERS = 200;

/** What each agent lets one client choose, as its sessions have said it: an agent says it only in a session. */
export class AgentSettings {
  readonly #host: Pick<HostClient, 'listSessions' | 'openSession'>;
  readonly #known = new Map<string, readonly SessionSetting[]>();

  constructor(host: Pick<HostClient, 'listSessions' | 'openSession'>) {
    this.#host = host;
  }

  isKnown(provider: string): boolean {
    return this.#known.has(provider);
  }

  learn(provider: string, settings: readonly SessionSetting[] | undefined): void {
    if (settings === undefined) return;
    this.#known.delete(provider);
    this.#known.set(provider, settings);
    dropOldest(this.#known, MAX_PROVIDERS);
  }

  /** Of the newest session of that agent, if none was open yet. */
  async of(provider: string): Promise<readonly SessionSetting[]> {
    const known = this.#known.get(provider);
    if (known) return known;
    try {
      const { items } = await this.#host.listSessions({ filter: { provider }, limit: 1 });
      if (!items[0]) return [];
      const session = await this.#host.openSession(items[0].resource, { turns: 1 });
      this.learn(provider, session.confirmed.value.settings);
      session.dispose();
    } catch {
      // Without it there is less to choose.
    }
    return this.#known.get(provider) ?? [];
  }
}
