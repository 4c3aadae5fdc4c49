import { connect, type HostClient, type SessionHandle } from '@agenthost/client';
import { expect } from 'vitest';
import { until } from './until.js';

export interface TurnLoadOptions {
  /** A balancer before the hosts. */
  readonly url: URL;
  readonly token: string;
  readonly clients: number;
  /** How long anything may take. */
  readonly patienceMs: number;
}

interface Worker {
  readonly client: HostClient;
  readonly session: SessionHandle;
  /** Ids of its turns that were accepted. */
  readonly sent: string[];
  work: Promise<void>;
}

/** Clients with a session each that have one turn after the other, while hosts are replaced. */
export class TurnLoad {
  readonly #options: TurnLoadOptions;
  readonly #workers: Worker[] = [];
  #isOver = false;

  static async begin(options: TurnLoadOptions): Promise<TurnLoad> {
    const load = new TurnLoad(options);
    await Promise.all(Array.from({ length: options.clients }, (_, n) => load.#begin(n)));
    return load;
  }

  private constructor(options: TurnLoadOptions) {
    this.#options = options;
  }

  get sessions(): readonly SessionHandle[] {
    return this.#workers.map(({ session }) => session);
  }

  /** Resolves when each client has had some more turns. */
  async goesOn(turns = 3): Promise<void> {
    const before = this.#workers.map(({ sent }) => sent.length);
    const haveGoneOn = () => this.#workers.every(({ sent }, n) => sent.length > (before[n] ?? 0) + turns);
    await expect.poll(haveGoneOn, { timeout: this.#options.patienceMs }).toBe(true);
  }

  /** Lets all turns end, and checks that none was lost, doubled or interrupted, as its client and as a new one sees it. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#workers.map(({ work }) => work));
    const { url, token } = this.#options;
    const anew = await connect({ url, token });
    try {
      for (const { session, sent } of this.#workers) {
        const stored = await anew.openSession(session.uri);
        for (const { turns, earlierTurns = 0 } of [session.confirmed.value, stored.confirmed.value]) {
          // Older ones than these are not in the state.
          expect(earlierTurns + turns.length).toBe(sent.length);
          expect(turns.map(({ id }) => id)).toEqual(sent.slice(earlierTurns));
          expect(turns.filter(({ state }) => state !== 'complete')).toEqual([]);
        }
      }
    } finally {
      anew.close();
    }
  }

  close(): void {
    this.#isOver = true;
    for (const { client } of this.#workers) client.close();
  }

  async #begin(n: number): Promise<void> {
    const { url, token } = this.#options;
    const client = await connect({ url, token, clientInfo: { name: `client ${n}` } });
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    const worker: Worker = { client, session, sent: [], work: Promise.resolve() };
    this.#workers.push(worker);
    // Half of them have turns that take long.
    worker.work = this.#work(worker, n % 2 === 0 ? 'hello' : 'stream 10000');
    worker.work.catch(() => {});
  }

  async #work({ session, sent }: Worker, prompt: string): Promise<void> {
    while (!this.#isOver) {
      const id = await session.send(prompt);
      sent.push(id);
      const hasEnded = ({ turns }: { readonly turns: readonly { readonly id: string }[] }) =>
        turns.some((turn) => turn.id === id);
      await until(session.confirmed, hasEnded, `turn ${id}`, this.#options.patienceMs);
    }
  }
}
