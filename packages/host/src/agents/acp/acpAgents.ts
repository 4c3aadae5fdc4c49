import { type FSWatcher, watch } from 'node:fs';
import type { Disposable } from '@agenthost/rpc';
import type { AgentSource, AgentSourceContext } from '../agentSource.js';
import { AcpAgent } from './acpAgent.js';
import type { AcpAgentSpec } from './acpAgentSpec.js';
import { AGENTS_FILE, readAgentSpecs } from './agentsFile.js';
import { CATALOGUE } from './catalogue.js';

export interface AcpAgentsOptions {
  readonly catalogue?: readonly AcpAgentSpec[];
  /** Only these agents. Without it, all of them. */
  readonly only?: readonly string[];
}

/**
 * The agents of the Agent Client Protocol: those of the catalogue and of the user's `agents.json`, which may change while the host
 * runs.
 *
 * @example
 * ```ts
 * const host = await Host.start({ agents: [], agentSources: [new AcpAgents({ only: ['claude', 'codex'] })] });
 * ```
 */
export class AcpAgents implements AgentSource {
  readonly #catalogue: readonly AcpAgentSpec[];
  readonly #only: readonly string[] | undefined;
  readonly #agents = new Map<string, AcpAgent>();
  #reading: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor({ catalogue = CATALOGUE, only }: AcpAgentsOptions = {}) {
    this.#catalogue = catalogue;
    this.#only = only;
  }

  async start(context: AgentSourceContext): Promise<Disposable> {
    const watcher = this.#watch(context);
    await this.#read(context, this.#catalogue);
    return {
      dispose: () => {
        this.#isDisposed = true;
        watcher?.close();
      },
    };
  }

  /** A machine without file watches can still run agents; changes then need a restart. */
  #watch(context: AgentSourceContext): FSWatcher | undefined {
    const failed = (error: unknown) =>
      context.log.error(`changes of ${AGENTS_FILE} are not seen without a restart`, error);
    try {
      const watcher = watch(context.stateDir, (_event, file) => {
        if (file === AGENTS_FILE) this.#readAgain(context);
      });
      return watcher.on('error', failed);
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  #readAgain(context: AgentSourceContext): void {
    this.#reading = this.#reading.then(async () => {
      if (this.#isDisposed) return;
      await this.#read(context);
      await context.registry.refresh();
    });
  }

  /** An invalid file changes nothing: the previous agents stay. */
  async #read(context: AgentSourceContext, otherwise?: readonly AcpAgentSpec[]): Promise<void> {
    const specs = await readAgentSpecs(context.stateDir, this.#catalogue).catch((error: unknown) => {
      context.log.error('the agents of your own are not read', error);
      return otherwise;
    });
    if (!specs || this.#isDisposed) return;
    const wanted = specs.filter(({ provider }) => this.#only?.includes(provider) ?? true);
    for (const spec of wanted) this.#add(spec, context);
    const names = new Set(wanted.map(({ provider }) => provider));
    for (const provider of [...this.#agents.keys()].filter((name) => !names.has(name))) {
      this.#agents.delete(provider);
      await context.registry.remove(provider);
    }
  }

  #add(spec: AcpAgentSpec, { registry, stateDir, env, log }: AgentSourceContext): void {
    const known = this.#agents.get(spec.provider);
    if (known) {
      known.update(spec);
      return;
    }
    if (registry.get(spec.provider)) {
      log.error(`${AGENTS_FILE}: there is an agent ${spec.provider} already: choose another name`);
      return;
    }
    const onModelsChanged = () => void registry.refresh();
    const agent = new AcpAgent({ spec, stateDir, hostEnv: env, onModelsChanged });
    registry.register(agent);
    this.#agents.set(spec.provider, agent);
  }
}
