import type { AgentEvent } from '../../agents/agent.js';

/**
 * Holds back an agent's events while a steering message is passed to it. Text waits for one turn of the event loop, so that an answer
 * that comes together with the acceptance is published after it. The end of the turn waits until it is known whether the agent took
 * the message, which otherwise would be in this turn and start the next one as well.
 */
export class SteeringGate {
  readonly #push: (event: AgentEvent) => void;
  readonly #graceMs: number;
  readonly #released = Promise.withResolvers<false>();
  #isReleased = false;
  #handing = 0;
  #held: AgentEvent[] = [];
  #words: NodeJS.Immediate | undefined;
  #end: NodeJS.Timeout | undefined;

  /** An end is held for at most `graceMs`: an agent that never says whether it took a message must not block its turn. */
  constructor(push: (event: AgentEvent) => void, graceMs: number) {
    this.#push = push;
    this.#graceMs = graceMs;
  }

  push(event: AgentEvent): void {
    const isEnd = event.type === 'idle' || event.type === 'error';
    if (isEnd && this.#handing > 0) this.#end ??= setTimeout(() => this.release(), this.#graceMs).unref();
    if (this.#held.length > 0 || this.#words || (isEnd && this.#handing > 0)) this.#held.push(event);
    else this.#push(event);
  }

  /**
   * `accepted` is called when the agent took the message, before the events since then. An agent that says so only after `release`
   * is not believed: the message waits by then, and would be in two turns.
   */
  async hand(handing: () => Promise<void>, accepted: () => void): Promise<void> {
    if (this.#isReleased) return;
    this.#handing++;
    this.#words ??= setImmediate(() => this.#releaseWords());
    const answered = handing().then(
      () => !this.#isReleased,
      () => false,
    );
    const wasTaken = await Promise.race([answered, this.#released.promise]);
    try {
      if (wasTaken) accepted();
    } finally {
      if (--this.#handing === 0) this.#letGo();
    }
  }

  /** The turn takes no message any more, and nothing is held back. */
  release(): void {
    this.#isReleased = true;
    this.#released.resolve(false);
    this.#letGo();
  }

  #letGo(): void {
    clearTimeout(this.#end);
    if (this.#words) clearImmediate(this.#words);
    this.#end = undefined;
    this.#words = undefined;
    for (const event of this.#held.splice(0)) this.#push(event);
  }

  #releaseWords(): void {
    this.#words = undefined;
    const end = this.#held.findIndex(({ type }) => type === 'idle' || type === 'error');
    for (const event of this.#held.splice(0, end < 0 ? this.#held.length : end)) this.#push(event);
  }
}
