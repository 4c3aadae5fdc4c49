import type { SessionSetting } from '@agenthost/protocol';
import { errorMessage, MAX_TITLE_LENGTH } from '@agenthost/protocol/internal';
import type { AgentSession } from '../../agents/agent.js';
import { boundedSettings } from '../../agents/events/boundedSettings.js';
import { oneLine } from '../../agents/events/boundedText.js';
import type { AgentTurn } from './agentTurn.js';

/** How often an agent is told of that changes its settings all the time. */
const OWN_CHANGES_MS = 500;
/** How long the agent may take to answer while no turn runs, or while a message waits for it. */
const ANSWER_MS = 10_000;

export interface AgentSettingsOptions {
  readonly agentName: string;
  /** The agent's session, if it is open or being opened. */
  readonly opened: () => Promise<AgentSession> | undefined;
  readonly isBusy: () => boolean;
  /** Puts the settings into the session's state. */
  readonly tell: (settings: readonly SessionSetting[]) => void;
  /** No answer is to be waited for. */
  readonly answered: () => void;
  readonly answerMs?: number;
}

/**
 * Brings the choices of clients to the agent, one at a time, and the agent's settings into the state. A choice is in the state from the
 * moment it is accepted; what the agent reports meanwhile does not undo it. When the agent refuses it, the state goes back to
 * what the agent reports, with the reason. While the agent is closed nothing is asked: it gets the choices when it is opened.
 */
export class AgentSettings {
  /** Whether a message need not wait for `settled`. */
  isQuiet = true;
  /** How often the agent has refused a mode. */
  modeRefusals = 0;
  readonly #options: AgentSettingsOptions;
  #reported: readonly SessionSetting[] = [];
  /** Choices that the agent has not answered yet, by the setting's id: at most one for each setting. */
  readonly #wanted = new Map<string, string>();
  readonly #problems = new Map<string, string>();
  #asking: Promise<void> | undefined;
  #isAwaited = false;
  #lastRefusal = '';
  #toldAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AgentSettingsOptions) {
    this.#options = options;
  }

  /** The agent was opened. */
  opened(settings: readonly SessionSetting[] = []): void {
    this.#problems.clear();
    this.#reported = boundedSettings(settings);
    this.#tell();
  }

  /** The agent reports its settings again. */
  reported(settings: readonly SessionSetting[]): void {
    const before = this.#reported;
    this.#reported = boundedSettings(settings);
    for (const { id, value } of before) if (this.#valueOf(id) !== value) this.#problems.delete(id);
    if (this.#timer !== undefined) return;
    const wait = this.#toldAt + OWN_CHANGES_MS - performance.now();
    if (wait <= 0) this.#tellOwn();
    else this.#timer = setTimeout(() => this.#tellOwn(), wait).unref();
  }

  /** The agent reports another mode, and may report its settings later or never. Returns whether the state may show it now. */
  modeReported(value: string | undefined): boolean {
    if (value === undefined) return true;
    this.#reported = this.#reported.map((setting) => (setting.kind === 'mode' ? { ...setting, value } : setting));
    const mode = this.#reported.find(({ kind }) => kind === 'mode');
    return (mode && this.#wanted.get(mode.id)) === undefined;
  }

  /** A client chose a value. A closed agent gets it when it is opened, so nobody waits for its answer. */
  choose(id: string, value: string): void {
    if (!this.#options.opened()) {
      this.#options.answered();
      return;
    }
    this.#problems.delete(id);
    this.#wanted.set(id, value);
    this.isQuiet = false;
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = undefined;
    });
  }

  /**
   * Resolves when the agent has what was chosen so far: a message must not overtake it. A cancelled turn does not wait. Rejects when
   * the agent refused a mode since the turn began: it would act on the message in another one.
   */
  async settled(turn: Pick<AgentTurn, 'preparing' | 'modeRefusals'>): Promise<void> {
    if (this.#asking !== undefined) {
      const { promise: cancelled, resolve } = Promise.withResolvers<void>();
      turn.preparing = new AbortController();
      turn.preparing.signal.addEventListener('abort', () => resolve(), { once: true });
      this.#isAwaited = true;
      await Promise.race([this.#asking, cancelled]);
      this.#isAwaited = false;
      turn.preparing = undefined;
    }
    this.isQuiet = this.#asking === undefined;
    if (this.modeRefusals === turn.modeRefusals) return;
    const { agentName } = this.#options;
    throw new Error(`${agentName} did not change its mode, so it did not get the message. ${this.#lastRefusal}`);
  }

  /** Resolves when the agent has answered all that was chosen so far. */
  async answered(): Promise<void> {
    while (this.#asking !== undefined) await this.#asking;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#wanted.clear();
  }

  async #askAll(): Promise<void> {
    for (let next = firstEntry(this.#wanted); next; next = firstEntry(this.#wanted)) {
      const [id, value] = next;
      const opened = this.#options.opened();
      const problem = await this.#ask(opened, id, value);
      // Chosen again meanwhile: asked for next.
      if (this.#wanted.get(id) !== value) continue;
      this.#wanted.delete(id);
      // An agent that was closed gets it when it is opened again.
      if (!opened || this.#options.opened() !== opened) continue;
      if (problem !== undefined) this.#refused(id, oneLine(problem, MAX_TITLE_LENGTH));
      this.#tell();
    }
  }

  /** Why the agent did not take the value, if it did not. */
  async #ask(opened: Promise<AgentSession> | undefined, id: string, value: string): Promise<string | undefined> {
    const { agentName } = this.#options;
    try {
      const session = await opened;
      if (!session) return undefined;
      if (!session.setSetting) return `${agentName} can't change this.`;
      await this.#withinLimit(session.setSetting(id, value));
    } catch (error) {
      return errorMessage(error) || `${agentName} refused it.`;
    }
    return this.#valueOf(id) === value ? undefined : `${agentName} chose another value.`;
  }

  /** Some agents answer only when their turn is over. */
  #withinLimit(answer: Promise<void>): Promise<void> {
    const { answerMs = ANSWER_MS, agentName, isBusy } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = setInterval(() => {
        if (isBusy() && !this.#isAwaited) return;
        clearInterval(timer);
        reject(new Error(`${agentName} did not answer within ${answerMs / 1_000} s.`));
      }, answerMs).unref();
      answer.then(resolve, reject).finally(() => clearInterval(timer));
    });
  }

  #refused(id: string, problem: string): void {
    this.#problems.set(id, problem);
    if (this.#reported.find((setting) => setting.id === id)?.kind !== 'mode') return;
    this.modeRefusals++;
    this.#lastRefusal = problem;
  }

  #valueOf(id: string): string | undefined {
    return this.#reported.find((setting) => setting.id === id)?.value;
  }

  #tellOwn(): void {
    this.#toldAt = performance.now();
    this.#tell();
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#options.tell(
      this.#reported.map((setting) => {
        const problem = this.#problems.get(setting.id);
        const wanted = this.#wanted.get(setting.id);
        return {
          ...setting,
          ...(wanted !== undefined && { value: wanted, pending: true }),
          ...(problem !== undefined && { problem }),
        };
      }),
    );
  }
}

function firstEntry<K, V>(map: ReadonlyMap<K, V>): readonly [K, V] | undefined {
  const [first] = map;
  return first;
}
