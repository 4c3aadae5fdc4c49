import type { AgentEvent } from '../../agent.js';

/** The maximum number of events that wait behind an unfinished one; beyond it, the fallback is sent. */
const MAX_WAITING = 1_000;

interface Later {
  readonly ready: Promise<readonly AgentEvent[]>;
  /** Sent when waiting is not possible. */
  readonly instead: () => readonly AgentEvent[];
}

/** Emits the events of one turn in order, also when one of them takes time. */
export class TurnEvents {
  readonly #emit: (event: AgentEvent) => void;
  readonly #waiting: (AgentEvent | Later)[] = [];
  #draining: Promise<void> | undefined;
  #hurry: (() => void) | undefined;

  constructor(emit: (event: AgentEvent) => void) {
    this.#emit = emit;
  }

  emit(event: AgentEvent): void {
    if (!this.#draining) {
      this.#emit(event);
      return;
    }
    this.#waiting.push(event);
    if (this.#waiting.length > MAX_WAITING) this.#hurry?.();
  }

  /** Later events wait for these. */
  emitLater(ready: Promise<readonly AgentEvent[]>, instead: () => readonly AgentEvent[]): void {
    this.#waiting.push({ ready, instead });
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined;
    });
  }

  /** Resolves when everything was emitted. Never rejects. */
  async settled(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if ('ready' in next) for (const event of await this.#inTime(next)) this.#emit(event);
      else this.#emit(next);
    }
  }

  async #inTime({ ready, instead }: Later): Promise<readonly AgentEvent[]> {
    const late = new Promise<undefined>((resolve) => {
      this.#hurry = () => resolve(undefined);
    });
    if (this.#waiting.length > MAX_WAITING) this.#hurry?.();
    return (await Promise.race([ready.catch(() => undefined), late])) ?? instead();
  }
}
