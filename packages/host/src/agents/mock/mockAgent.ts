import { setTimeout as delay } from 'node:timers/promises';
import type { AvailableAgent, ModelInfo } from '@agenthost/protocol';
import type { Agent, AgentDescriptor, AgentSession, OpenSessionOptions } from '../agent.js';
import type { CustomizationSupport } from '../agentCustomization.js';
import type { MockSession } from './mockSession.js';

const MODELS: readonly ModelInfo[] = [
  { id: 'mock-small', provider: 'mock', name: 'Mock Small', maxContextWindow: 8_192 },
  { id: 'mock-large', provider: 'mock', name: 'Mock Large', maxContextWindow: 128_000, supportsVision: true },
];

/**
 * The agent for tests and benchmarks: no process, no model; the prompt says what it does. See `mockBehaviours.ts`.
 *
 * @example
 * ```ts
 * const host = await Host.start({ agents: [new MockAgent()] }); // clients send "echo hello", "tool", "stream 100"
 * ```
 */
export class MockAgent implements Agent {
  readonly descriptor: AgentDescriptor = {
    provider: 'mock',
    displayName: 'Mock',
    description: 'A scripted agent for tests and benchmarks.',
    icon: 'flask',
  };
  readonly customizations: CustomizationSupport = { takes: ['instructions', 'skill', 'agent', 'mcpServer'] };
  readonly #sessions = new Set<MockSession>();
  readonly #disposed = new AbortController();

  async availability(): Promise<AvailableAgent> {
    return { state: 'available' };
  }

  async listModels(): Promise<readonly ModelInfo[]> {
    return MODELS;
  }

  /** `config.failCreation` (true, or the message) makes it reject; `config.creationDelayMs` makes it slow. */
  async openSession(options: OpenSessionOptions): Promise<AgentSession> {
    const { failCreation, creationDelayMs } = options.config;
    const signal = AbortSignal.any([options.signal, this.#disposed.signal]);
    if (typeof creationDelayMs === 'number') await delay(creationDelayMs, undefined, { signal });
    // Loaded with the first session.
    const { MockSession: Sessions } = await import('./mockSession.js');
    signal.throwIfAborted();
    if (failCreation === true || typeof failCreation === 'string') {
      throw new Error(typeof failCreation === 'string' ? failCreation : 'The mock agent was told to fail.');
    }
    const model = options.model ?? 'mock-small';
    if (!MODELS.some(({ id }) => id === model)) throw new Error(`There is no model ${JSON.stringify(model)}.`);
    const session: MockSession = new Sessions({
      sessionId: options.sessionId,
      cwd: options.cwd,
      model,
      models: MODELS.map(({ id }) => id),
      resumed: options.resume,
      tempFiles: options.tempFiles,
      customizations: options.customizations,
      settings: options.settings,
      clientTools: options.clientTools,
      onDispose: () => this.#sessions.delete(session),
    });
    this.#sessions.add(session);
    return session;
  }

  async dispose(): Promise<void> {
    this.#disposed.abort(new Error('the agent is disposed of'));
    await Promise.all([...this.#sessions].map((session) => session.dispose()));
  }
}
