import type { AgentEvent, AgentSession } from '@agenthost/host';

export type EventOf<T extends AgentEvent['type']> = Extract<AgentEvent, { type: T }>;

/** Allows for a busy machine; an event is awaited, not measured. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** Records the events of a session and waits for them, so that no test of an agent has to sleep. */
export class EventRecorder {
  readonly events: AgentEvent[] = [];
  readonly #timeoutMs: number;
  readonly #checks = new Set<() => void>();

  constructor(session: AgentSession, timeoutMs: number = DEFAULT_TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
    session.onEvent((event) => {
      this.events.push(event);
      for (const check of [...this.#checks]) check();
    });
  }

  of<T extends AgentEvent['type']>(type: T): EventOf<T>[] {
    return this.events.filter((event): event is EventOf<T> => event.type === type);
  }

  /** All text of one kind, joined. */
  text(type: 'text' | 'reasoning' = 'text'): string {
    return this.of(type).reduce((all, event) => all + event.text, '');
  }

  output(): string {
    return this.of('toolUpdate').reduce((all, event) => all + (event.output ?? ''), '');
  }

  /** The n-th event of that type, also when it already came. */
  async nth<T extends AgentEvent['type']>(type: T, n = 1): Promise<EventOf<T>> {
    await this.until(`${type} number ${n}`, () => this.of(type).length >= n);
    return this.of(type)[n - 1] as EventOf<T>;
  }

  /** The event that ended the n-th turn. */
  async end(n = 1): Promise<EventOf<'idle' | 'error'>> {
    const ends = () => [...this.events].filter((event) => event.type === 'idle' || event.type === 'error');
    await this.until(`end of turn ${n}`, () => ends().length >= n);
    return ends()[n - 1] as EventOf<'idle' | 'error'>;
  }

  until(what: string, reached: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const seen = () => JSON.stringify(this.events.slice(-5)).slice(0, 1_000);
      const timer = setTimeout(() => {
        this.#checks.delete(check);
        reject(new Error(`no ${what} within ${this.#timeoutMs} ms; the last events: ${seen()}`));
      }, this.#timeoutMs);
      const check = () => {
        if (!reached()) return;
        clearTimeout(timer);
        this.#checks.delete(check);
        resolve();
      };
      this.#checks.add(check);
      check();
    });
  }
}
