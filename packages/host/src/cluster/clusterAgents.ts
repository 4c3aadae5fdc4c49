import type { AgentInfo } from '@agenthost/protocol';
import { SCHEMAS } from '@agenthost/protocol/schemas';

/** Agents of one host that count, and agents of all hosts that are shown. A host has about ten. */
const MAX_AGENTS = 200;
/** An agent of another host whose description is longer, most of it models, is left out. */
const MAX_LENGTH = 64 * 1024;

/** Whether a host can run an agent; `unknown` for one that has not told its agents yet. */
export type HasAgent = 'available' | 'unavailable' | 'unknown' | 'none';

/** The agents of all living hosts on a database: those of this one, and what the others tell over their links. */
export class ClusterAgents {
  #own: readonly AgentInfo[] = [];
  readonly #others = new Map<string, readonly AgentInfo[]>();
  readonly #hostId: string;
  readonly #onChange: (agents: readonly AgentInfo[]) => void;
  #alive: ReadonlySet<string> = new Set();
  #told = '[]';

  constructor(hostId: string, onChange: (agents: readonly AgentInfo[]) => void) {
    this.#hostId = hostId;
    this.#onChange = onChange;
  }

  get own(): readonly AgentInfo[] {
    return this.#own;
  }

  setOwn(agents: readonly AgentInfo[]): void {
    this.#own = agents;
    this.#changed();
  }

  /** What another host tells. A newer one may know kinds of agents that this one does not: these are left out. */
  setOther(hostId: string, agents: unknown): void {
    const list: readonly unknown[] = Array.isArray(agents) ? agents.slice(0, MAX_AGENTS) : [];
    const short = list.filter((one) => (JSON.stringify(one)?.length ?? 0) <= MAX_LENGTH);
    this.#others.set(
      hostId,
      short.flatMap((one) => SCHEMAS.AgentInfo.safeParse(one).data ?? []),
    );
    this.#changed();
  }

  /** Only agents of living hosts count. What one told is kept while its link is there: it may only have been silent. */
  setAlive(alive: readonly string[], isLinked: (hostId: string) => boolean): void {
    this.#alive = new Set(alive);
    for (const id of [...this.#others.keys()]) if (!this.#alive.has(id) && !isLinked(id)) this.#others.delete(id);
    this.#changed();
  }

  at(hostId: string, provider: string): HasAgent {
    const agents = hostId === this.#hostId ? this.#own : this.#others.get(hostId);
    if (!agents) return 'unknown';
    const found = agents.find((agent) => agent.provider === provider);
    if (!found) return 'none';
    return isUsable(found) ? 'available' : 'unavailable';
  }

  /** One of each provider: where it is available before others, and this host before others. */
  #union(): readonly AgentInfo[] {
    const chosen = new Map<string, AgentInfo>();
    const others = [...this.#others].filter(([id]) => this.#alive.has(id)).map(([, agents]) => agents);
    for (const agent of [this.#own, ...others].flat()) {
      const known = chosen.get(agent.provider);
      const isBetter = known !== undefined && !isUsable(known) && isUsable(agent);
      if (known ? isBetter : chosen.size < MAX_AGENTS) chosen.set(agent.provider, agent);
    }
    return [...chosen.values()].map(withoutChanges);
  }

  #changed(): void {
    const agents = this.#union();
    const told = JSON.stringify(agents);
    if (told === this.#told) return;
    this.#told = told;
    this.#onChange(agents);
  }
}

/** A host where nobody is logged in to the agent comes after one where somebody is. */
function isUsable({ availability, login }: AgentInfo): boolean {
  return availability.state === 'available' && login?.state !== 'needed' && login?.state !== 'expired';
}

/** Clients can't install agents or log in to them here: they would not know on which machine. */
function withoutChanges(agent: AgentInfo): AgentInfo {
  const { login, availability } = agent;
  const told = login && { login: { state: login.state, ...(login.source && { source: login.source }) } };
  if (availability.state === 'installing') return { ...agent, ...told };
  const {
    installable: _,
    newerVersion: __,
    ...rest
  } = { installable: undefined, newerVersion: undefined, ...availability };
  return { ...agent, ...told, availability: rest };
}
