import type { AgentSession } from '../../agents/agent.js';
import type { TurnSink } from './turnSink.js';

export interface BackpressureLimits {
  /** Above this the agent is paused. */
  readonly high: number;
  /** Below this it is resumed. */
  readonly low: number;
  /** Above this the turn is ended. */
  readonly max: number;
}

const MIB = 1024 * 1024;
const DEFAULT_LIMITS: BackpressureLimits = { high: 4 * MIB, low: MIB, max: 64 * MIB };

type Source = Pick<AgentSession, 'pause' | 'resume'>;

/** Pauses an agent that reports faster than its events can be stored and sent. Nothing is dropped. */
export class Backpressure {
  readonly #sink: Pick<TurnSink, 'waitingBytes' | 'relieved' | 'storageFailed'>;
  readonly #onOverflow: () => void;
  readonly #limits: BackpressureLimits;
  #paused: Source | undefined;
  #isRelieving = false;

  /** `onOverflow`: the agent went on although it was asked to wait, or it can't be asked. */
  constructor(
    sink: Pick<TurnSink, 'waitingBytes' | 'relieved' | 'storageFailed'>,
    onOverflow: () => void,
    limits: BackpressureLimits = DEFAULT_LIMITS,
  ) {
    this.#sink = sink;
    this.#onOverflow = onOverflow;
    this.#limits = limits;
  }

  /** Called after each event. */
  check(source: Source): void {
    const waiting = this.#sink.waitingBytes;
    if (waiting <= this.#limits.high) return;
    if (this.#paused !== source) {
      this.release();
      this.#paused = source;
      source.pause?.();
    }
    if (waiting > this.#limits.max) this.#onOverflow();
    if (!this.#isRelieving) void this.#relieve();
  }

  /** Resumes the agent: what it still reports is dropped. */
  release(): void {
    const paused = this.#paused;
    this.#paused = undefined;
    paused?.resume?.();
  }

  async #relieve(): Promise<void> {
    this.#isRelieving = true;
    try {
      while (this.#paused && this.#sink.waitingBytes > this.#limits.low) await this.#sink.relieved();
    } catch (error) {
      this.#sink.storageFailed(error);
    } finally {
      this.#isRelieving = false;
      this.release();
    }
  }
}
