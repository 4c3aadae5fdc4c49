import type { AgentSession } from '../../agents/agent.js';

export interface BackpressureOptions {
  /** About how many bytes of what the agent reported are still on their way to where they are kept. */
  readonly waitingBytes: () => number;
  /** Resolves when what waits now has arrived; rejects when it could not be stored. */
  readonly relieved: () => Promise<void>;
  readonly onStorageFailed: (error: unknown) => void;
  /** The agent went on and on although it was asked to wait, or can't be asked. */
  readonly onOverflow: () => void;
  readonly limits?: BackpressureLimits;
}

export interface BackpressureLimits {
  /** From here on the agent is asked to wait … */
  readonly high: number;
  /** … and here to go on. */
  readonly low: number;
  /** So much must never wait: the turn ends instead. */
  readonly max: number;
}

const MIB = 1024 * 1024;
const DEFAULT_LIMITS: BackpressureLimits = { high: 4 * MIB, low: MIB, max: 64 * MIB };

type Source = Pick<AgentSession, 'pause' | 'resume'>;

/** Keeps an agent from reporting faster than what it reports can be stored and sent: nothing is dropped, so the source waits. */
export class Backpressure {
  readonly #options: BackpressureOptions;
  readonly #limits: BackpressureLimits;
  #paused: Source | undefined;
  #isRelieving = false;

  constructor(options: BackpressureOptions) {
    this.#options = options;
    this.#limits = options.limits ?? DEFAULT_LIMITS;
  }

  /** To be called after each event. */
  check(source: Source): void {
    const waiting = this.#options.waitingBytes();
    if (waiting <= this.#limits.high) return;
    if (this.#paused !== source) {
      this.release();
      this.#paused = source;
      source.pause?.();
    }
    if (waiting > this.#limits.max) this.#options.onOverflow();
    if (!this.#isRelieving) void this.#relieve();
  }

  /** What still comes is not kept any more, so that nothing has to wait. */
  release(): void {
    const paused = this.#paused;
    this.#paused = undefined;
    paused?.resume?.();
  }

  async #relieve(): Promise<void> {
    this.#isRelieving = true;
    try {
      while (this.#paused && this.#options.waitingBytes() > this.#limits.low) await this.#options.relieved();
    } catch (error) {
      this.#options.onStorageFailed(error);
    } finally {
      this.#isRelieving = false;
      this.release();
    }
  }
}
