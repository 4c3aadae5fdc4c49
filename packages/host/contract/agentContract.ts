import type { Agent, OpenSessionOptions } from '@agenthost/host';
import { type ContractContext, casesFor } from './agentContractCases.js';
import { EventRecorder } from './eventRecorder.js';

export interface AgentContractOptions {
  /** A fresh agent for each case. */
  create(): Promise<Agent>;
  /** The options of its sessions: a fresh folder for each case, and an environment. */
  openOptions(): Promise<OpenSessionOptions>;
  readonly prompts: AgentContractPrompts;
  /** Processes of this case's sessions that still run; must be none after `dispose`. */
  processes?(sessionFolder: string): Promise<readonly number[]>;
  /** How long a case waits for something that must happen. Defaults to 10,000. */
  readonly timeoutMs?: number;
}

/** Prompts that make the agent do what a case needs. A case without its prompt is left out. */
export interface AgentContractPrompts {
  /** Some text, then `idle`. */
  readonly text: string;
  readonly reasoning?: string;
  /**
   * Asks before a call, which succeeds when approved. With its input edited to `edited` it prints `prints`; without `edited`
   * the agent can run only what it asked for.
   */
  readonly tool: { readonly prompt: string; readonly edited?: string; readonly prints?: string };
  /** A `permissionRequest`, then text. */
  readonly permission?: string;
  /** Endless text or output. Its questions are approved. */
  readonly endless: string;
  readonly error?: string;
  readonly crash?: string;
  /** In a resumed session, `recall` says or prints `answer` when `tell` was sent before it was closed. */
  readonly resume?: { readonly tell: string; readonly recall: string; readonly answer: string };
}

export interface AgentContractCase {
  readonly name: string;
  run(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * The contract of `Agent` as cases for any test framework. An agent is correct when every case passes.
 *
 * @example
 * ```ts
 * declare const options: AgentContractOptions;
 *
 * for (const { name, run } of agentContract(options)) it(name, run);
 * ```
 */
export function agentContract(options: AgentContractOptions): AgentContractCase[] {
  const { prompts, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  return Object.entries(casesFor(prompts)).map(([name, check]) => ({
    name,
    run: async () => {
      const agent = await options.create();
      const open: ContractContext['open'] = async (change = {}) => {
        const opening = { ...(await options.openOptions()), ...change };
        const session = await agent.openSession(opening);
        return { session, recorder: new EventRecorder(session, timeoutMs), cwd: opening.cwd };
      };
      try {
        await check({ ...options, agent, open });
      } finally {
        await agent.dispose();
      }
    },
  }));
}
