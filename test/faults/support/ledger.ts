import { ClientError } from '@agenthost/client';
import type { SessionState, URI } from '@agenthost/protocol';
import { expect } from 'vitest';
import type { FaultPlan } from './faultPlan.js';

type Fits = (state: SessionState) => boolean;

interface Fact {
  readonly what: string;
  readonly uri: URI;
  readonly holds: Fits;
}

/** What a client was told of everything that it asked for, to be held against what there is afterwards. */
export class Ledger {
  readonly sessions = new Map<URI, 'there' | 'gone' | 'either'>();
  readonly #plan: FaultPlan;
  readonly #accepted: Fact[] = [];
  readonly #refused: Fact[] = [];
  /** How often a client was told that something could not be done. */
  refusals = 0;
  #inARow = 0;

  constructor(plan: FaultPlan) {
    this.#plan = plan;
  }

  get acceptedCount(): number {
    return this.#accepted.length;
  }

  /** An action: what holds once it is accepted must hold for good; what holds only then must never hold when it isn't. */
  async action(what: string, uri: URI, run: () => Promise<unknown>, holds: Fits): Promise<boolean> {
    const isDone = await this.attempt(what, run);
    (isDone ? this.#accepted : this.#refused).push({ what, uri, holds });
    return isDone;
  }

  async attempt(what: string, run: () => Promise<unknown>): Promise<boolean> {
    try {
      await run();
      this.#inARow = 0;
      return true;
    } catch (error) {
      this.refusals++;
      expect(this.#plan.hasFired, `${what} failed although nothing was wrong: ${String(error)}`).toBe(true);
      expect(error, what).toBeInstanceOf(ClientError);
      expect((error as Error).message, `${what}: says why`).toMatch(/injected/);
      // A person sees it fail, tries something else, and then makes room.
      if (++this.#inARow === 2) this.#plan.repair();
      return false;
    }
  }

  /** Tries until it succeeds, as a person would. */
  async insist<T>(what: string, run: () => Promise<T>): Promise<T> {
    let value: { readonly it: T } | undefined;
    for (let attempt = 0; attempt < 4; attempt++) {
      await this.attempt(what, async () => {
        value = { it: await run() };
      });
      if (value) return value.it;
    }
    return expect.fail(`${what} did not succeed, although the storage works again`);
  }

  check(states: ReadonlyMap<URI, SessionState>): void {
    for (const [uri, expected] of this.sessions) {
      if (expected !== 'either') expect([uri, states.has(uri)]).toEqual([uri, expected === 'there']);
    }
    const wrong = (facts: readonly Fact[], wanted: boolean) =>
      facts
        .filter(({ uri, holds }) => {
          const state = states.get(uri);
          return state !== undefined && holds(state) !== wanted;
        })
        .map(({ what, uri }) => `${what} in ${uri}`);
    expect({ lost: wrong(this.#accepted, true), unasked: wrong(this.#refused, false) }).toEqual({
      lost: [],
      unasked: [],
    });
  }
}

/** Whether the message is anywhere: in a turn, or waiting for one. */
export function hasMessage(id: string): Fits {
  return ({ turns, activeTurn, queuedMessages, steeringMessage }) =>
    [...turns, ...(activeTurn ? [activeTurn] : [])].some(
      (turn) => turn.id === id || turn.responseParts.some((part) => part.kind === 'steering' && part.id === id),
    ) ||
    (queuedMessages ?? []).some((message) => message.id === id) ||
    steeringMessage?.id === id;
}
