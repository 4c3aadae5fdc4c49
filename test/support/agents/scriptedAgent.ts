import type { Agent, AgentDescriptor, AgentEvent, AgentSession, Decision, OpenSessionOptions } from '@agenthost/host';
import type {
  AgentIcon,
  AvailableAgent,
  ModelInfo,
  SessionCommand,
  UnavailableAgent,
  UserMessage,
} from '@agenthost/protocol';

/** What a turn of the script can wait for. */
export interface ScriptedTurn {
  /** Aborts when the turn is stopped. */
  readonly signal: AbortSignal;
  answer(requestId: string): Promise<Decision>;
  /** Until the turn is stopped. */
  forever(): Promise<never>;
}

export type Script = (message: UserMessage, turn: ScriptedTurn) => Iterable<AgentEvent> | AsyncIterable<AgentEvent>;

export interface ScriptedAgentOptions {
  readonly provider: string;
  readonly displayName: string;
  readonly description?: string;
  readonly icon?: AgentIcon;
  readonly commands?: readonly SessionCommand[];
  readonly models?: readonly Omit<ModelInfo, 'provider'>[];
  readonly availability?: AvailableAgent | UnavailableAgent;
  readonly script: Script;
}

/** An agent that reports exactly what a script says, for what no real one would say on demand. No process, no model. */
export class ScriptedAgent implements Agent {
  readonly descriptor: AgentDescriptor;
  readonly #options: ScriptedAgentOptions;

  constructor(options: ScriptedAgentOptions) {
    this.#options = options;
    const { provider, displayName, description = '', icon } = options;
    this.descriptor = { provider, displayName, description, ...(icon && { icon }) };
  }

  async availability(): Promise<AvailableAgent | UnavailableAgent> {
    return this.#options.availability ?? { state: 'available' };
  }

  async listModels(): Promise<readonly ModelInfo[]> {
    const { provider, models = [] } = this.#options;
    return models.map((model) => ({ ...model, provider }));
  }

  async openSession({ sessionId }: OpenSessionOptions): Promise<AgentSession> {
    return new ScriptedSession(sessionId, this.#options);
  }

  async dispose(): Promise<void> {}
}

class ScriptedSession implements AgentSession {
  readonly nativeSessionId: string;
  readonly commands: readonly SessionCommand[] | undefined;
  readonly #script: Script;
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  readonly #answers = new Map<string, (decision: Decision) => void>();
  #turn: AbortController | undefined;

  constructor(sessionId: string, { script, commands }: ScriptedAgentOptions) {
    this.nativeSessionId = `scripted-${sessionId}`;
    this.commands = commands;
    this.#script = script;
  }

  onEvent(listener: (event: AgentEvent) => void) {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  async send(message: UserMessage): Promise<void> {
    const turn = new AbortController();
    this.#turn = turn;
    setImmediate(() => void this.#play(message, turn));
  }

  answer(requestId: string, decision: Decision): void {
    this.#answers.get(requestId)?.(decision);
    this.#answers.delete(requestId);
  }

  async abort(): Promise<void> {
    this.#turn?.abort(new Error('the turn was stopped'));
  }

  async dispose(): Promise<void> {
    this.#listeners.clear();
    await this.abort();
  }

  async #play(message: UserMessage, turn: AbortController): Promise<void> {
    const { signal } = turn;
    const stopped = Promise.withResolvers<never>();
    stopped.promise.catch(() => {});
    signal.addEventListener('abort', () => stopped.reject(signal.reason), { once: true });
    const answer = (requestId: string) => {
      const { promise, resolve } = Promise.withResolvers<Decision>();
      this.#answers.set(requestId, resolve);
      return Promise.race([promise, stopped.promise]);
    };
    let last: AgentEvent = { type: 'idle' };
    try {
      for await (const event of this.#script(message, { signal, answer, forever: () => stopped.promise })) {
        if (signal.aborted) break;
        if (event.type === 'error') last = event;
        else this.#emit(event);
      }
    } catch (error) {
      if (!signal.aborted) last = { type: 'error', error: { errorType: 'Script', message: String(error) } };
    }
    this.#turn = undefined;
    this.#emit(last);
  }

  #emit(event: AgentEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
