import type { AgentAvailability, AgentInfo, AgentLogin, ModelInfo, UnavailableAgent } from '@agenthost/protocol';
import { isProviderId, isSafeKey } from '@agenthost/protocol/internal';
import { type Disposable, Emitter } from '@agenthost/rpc';
import { warnOfListenerError } from '../hostLog.js';
import type { Agent } from './agent.js';
import type { LoginFacts } from './agentLogin.js';
import { isNewerVersion } from './newerVersion.js';

export interface AgentRegistryOptions {
  /** How long an agent may take to report its availability, or to end. Defaults to 10,000. */
  readonly timeoutMs?: number;
  /** Puts something around each agent that is registered. */
  readonly wrap?: (agent: Agent) => Agent;
  /** Called with an agent that failed to end. */
  readonly onError?: (error: unknown, provider: string) => void;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const INSTALLING: AgentAvailability = { state: 'installing' };
const UNCHECKED: UnavailableAgent = {
  state: 'unavailable',
  reason: 'The host has not checked yet whether this agent can run.',
  howToFix: 'Wait a moment.',
};

/** What turns and checks have shown of an agent's log-in. It wins over what the agent says of itself. */
interface LearnedLogin {
  readonly state: 'ready' | 'needed';
  readonly wasReady: boolean;
}

/** The agents of a host by provider, and what is known of each. An agent that fails or hangs counts as unavailable. */
export class AgentRegistry {
  readonly #agents = new Map<string, Agent>();
  readonly #infos = new Map<string, AgentInfo>();
  readonly #installing = new Set<string>();
  readonly #installFailures = new Map<string, string>();
  readonly #facts = new Map<string, LoginFacts>();
  readonly #learned = new Map<string, LearnedLogin>();
  /** What is ended when all agents have been. */
  onDisposed: (() => Promise<void> | undefined) | undefined;
  readonly #newest = new Map<string, string>();
  readonly #events = new Emitter<readonly AgentInfo[]>(warnOfListenerError);
  readonly #timeoutMs: number;
  readonly #onError: (error: unknown, provider: string) => void;
  readonly #wrap: (agent: Agent) => Agent;
  #refreshes = 0;
  #disposing: Promise<void> | undefined;

  constructor({ timeoutMs = DEFAULT_TIMEOUT_MS, onError = () => {}, wrap }: AgentRegistryOptions = {}) {
    this.#timeoutMs = timeoutMs;
    this.#wrap = wrap ?? ((agent) => agent);
    this.#onError = onError;
  }

  /** The agent counts as unavailable until the next `refresh`. */
  register(agent: Agent): void {
    const { provider } = agent.descriptor;
    if (this.#disposing !== undefined) throw new Error('the registry is disposed of');
    if (!isProviderId(provider)) throw new RangeError(`not a provider id: ${JSON.stringify(provider)}`);
    if (this.#agents.has(provider)) throw new Error(`an agent ${JSON.stringify(provider)} is registered already`);
    this.#agents.set(provider, this.#wrap(agent));
    this.#infos.set(provider, infoOf(agent, UNCHECKED));
    this.#events.fire(this.infos());
  }

  /** Ends the agent and all its sessions. */
  async remove(provider: string): Promise<void> {
    const agent = this.#agents.get(provider);
    if (!agent) return;
    this.#agents.delete(provider);
    this.#infos.delete(provider);
    this.#installing.delete(provider);
    this.#installFailures.delete(provider);
    this.#facts.delete(provider);
    this.#learned.delete(provider);
    this.#events.fire(this.infos());
    await this.#end(agent);
  }

  /** While an agent is being installed, nothing else is known of it. */
  beginInstalling(provider: string): void {
    const agent = this.#agents.get(provider);
    if (!agent) return;
    this.#installFailures.delete(provider);
    this.#installing.add(provider);
    this.#infos.set(provider, infoOf(agent, INSTALLING));
    this.#events.fire(this.infos());
  }

  /** Checks the agent again after an installation. A failure is shown as the reason until the next attempt. */
  async endInstalling(provider: string, failure?: string): Promise<void> {
    this.#installing.delete(provider);
    if (failure !== undefined && this.#agents.has(provider)) this.#installFailures.set(provider, failure);
    await this.refresh();
  }

  get(provider: string): Agent | undefined {
    return this.#agents.get(provider);
  }

  /** The current infos, in the order of registration. */
  infos(): readonly AgentInfo[] {
    return [...this.#infos.values()];
  }

  /** The ids of the models that an agent offers; `undefined` when it names none: then any name is tried. */
  modelIds(provider: string): ReadonlySet<string> | undefined {
    const models = this.#infos.get(provider)?.models ?? [];
    return models.length > 0 ? new Set(models.map((model) => model.id).filter(isSafeKey)) : undefined;
  }

  /** The newest released version of an agent's package. Clients see it when it is newer than the installed one. */
  setNewest(provider: string, version: string): void {
    this.#newest.set(provider, version);
    const info = this.#infos.get(provider);
    if (!info || this.newerVersion(provider) === undefined) return;
    this.#infos.set(provider, { ...info, availability: this.#withNewer(provider, info.availability) });
    this.#events.fire(this.infos());
  }

  newerVersion(provider: string): string | undefined {
    const newest = this.#newest.get(provider);
    const availability = this.#infos.get(provider)?.availability;
    const version = availability?.state === 'available' ? availability.version : undefined;
    return newest !== undefined && version !== undefined && isNewerVersion(newest, version) ? newest : undefined;
  }

  /** A turn worked, or failed because the agent needs a log-in. */
  learnLogin(provider: string, state: 'ready' | 'needed'): void {
    const before = this.#learned.get(provider);
    const info = this.#infos.get(provider);
    if (before?.state === state || !info || !this.#agents.get(provider)?.login) return;
    const wasReady = before?.state === 'ready' || before?.wasReady === true;
    this.#learned.set(provider, { state, wasReady });
    if (info.availability.state !== 'available') return;
    this.#infos.set(provider, { ...info, ...this.#loginOf(provider) });
    this.#events.fire(this.infos());
  }

  /** After a log-in, a log-out or a new key, what was learned before says nothing. The next `refresh` asks the agent. */
  forgetLogin(provider: string): void {
    this.#learned.delete(provider);
  }

  /** Called when `infos` changed, with the new ones. */
  onChange(listener: (infos: readonly AgentInfo[]) => void): Disposable {
    return this.#events.event(listener);
  }

  /** Asks every agent again, in parallel. Never rejects. */
  async refresh(): Promise<readonly AgentInfo[]> {
    const refresh = ++this.#refreshes;
    const infos = await Promise.all([...this.#agents.values()].map((agent) => this.#ask(agent)));
    // A late result of an older refresh must not replace that of a newer one.
    if (this.#disposing !== undefined || refresh !== this.#refreshes) return this.infos();
    const before = JSON.stringify(this.infos());
    for (const info of infos) if (this.#agents.has(info.provider)) this.#infos.set(info.provider, info);
    const after = this.infos();
    if (JSON.stringify(after) !== before) this.#events.fire(after);
    return after;
  }

  /** Ends all agents; resolves when each has ended or its time is up. */
  dispose(): Promise<void> {
    this.#disposing ??= this.#disposeAll();
    return this.#disposing;
  }

  async #disposeAll(): Promise<void> {
    this.#events.clear();
    await Promise.all([...this.#agents.values()].map((agent) => this.#end(agent)));
    await this.onDisposed?.();
  }

  async #end(agent: Agent): Promise<void> {
    try {
      await withTimeout(() => agent.dispose(), this.#timeoutMs, `It did not end within ${this.#timeoutMs} ms.`);
    } catch (error) {
      this.#onError(error, agent.descriptor.provider);
    }
  }

  #withNewer<T extends AgentAvailability>(provider: string, availability: T): T {
    const newest = this.#newest.get(provider);
    if (availability.state !== 'available' || availability.version === undefined || newest === undefined)
      return availability;
    return isNewerVersion(newest, availability.version) ? { ...availability, newerVersion: newest } : availability;
  }

  #loginOf(provider: string): { readonly login?: AgentLogin } {
    const facts = this.#facts.get(provider);
    return facts ? { login: composeLogin(facts, this.#learned.get(provider)) } : {};
  }

  async #ask(agent: Agent): Promise<AgentInfo> {
    if (this.#installing.has(agent.descriptor.provider)) return infoOf(agent, INSTALLING);
    const { provider } = agent.descriptor;
    const ask = async (): Promise<AgentInfo> => {
      const availability = await agent.availability();
      const models = availability.state === 'available' ? await agent.listModels() : [];
      const facts = availability.state === 'available' ? await agent.login?.facts() : undefined;
      if (facts) this.#facts.set(provider, facts);
      else this.#facts.delete(provider);
      const failure = this.#installFailures.get(agent.descriptor.provider);
      if (availability.state === 'available' || failure === undefined) {
        return { ...infoOf(agent, this.#withNewer(provider, availability), models), ...this.#loginOf(provider) };
      }
      return infoOf(agent, { ...availability, reason: failure }, models);
    };
    try {
      return await withTimeout(ask, this.#timeoutMs, `It did not answer within ${this.#timeoutMs} ms.`);
    } catch (error) {
      return infoOf(agent, failed(error));
    }
  }
}

function composeLogin({ state: told, ...facts }: LoginFacts, learned: LearnedLogin | undefined): AgentLogin {
  const state = loginState(told, learned);
  // It works, or worked, without a key that the host knows of.
  const source = facts.source ?? (state === 'ready' || state === 'expired' ? 'own' : undefined);
  return { ...facts, state, ...(source && { source }) };
}

function loginState(told: LoginFacts['state'], learned: LearnedLogin | undefined): AgentLogin['state'] {
  if (learned?.state === 'needed') return learned.wasReady || told === 'ready' ? 'expired' : 'needed';
  if (told === 'needed') return 'needed';
  return told === 'ready' || learned?.state === 'ready' ? 'ready' : 'unknown';
}

/** Chats are separate sessions, so every agent can have several, unless it says that it can't. */
function infoOf({ descriptor }: Agent, availability: AgentAvailability, models: readonly ModelInfo[] = []): AgentInfo {
  return { supportsMultipleChats: true, ...descriptor, models, availability };
}

function failed(error: unknown): UnavailableAgent {
  return {
    state: 'unavailable',
    reason: error instanceof Error && error.message ? error.message : `It failed: ${String(error)}`,
    howToFix: "Check the agent's installation and the host's log, then refresh the list of agents.",
  };
}

function withTimeout<T>(run: () => Promise<T>, ms: number, message: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(message)), ms);
    (async () => run())()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
