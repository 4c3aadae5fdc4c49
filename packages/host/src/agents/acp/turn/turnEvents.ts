import type { AgentEvent } from '../../agent.js';

/** Events that wait behind one which is not known yet; with more of them, nobody waits for it any longer. */
const MAX_WAITING = 1_000;

interface Later {
  readonly ready: Promise<readonly AgentEvent[]>;
  /** What is told where nobody can wait. */
  readonly instead: () => readonly AgentEvent[];
}

/** The events of one turn in their order, also where one of them takes its time. */
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

  /** What comes next waits for these. */
  emitLater(ready: Promise<readonly AgentEvent[]>, instead: () => readonly AgentEvent[]): void {
    this.#waiting.push({ ready, instead });
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined;
    });
  }

  /** Resolves when everything is told. Never rejects. */
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
