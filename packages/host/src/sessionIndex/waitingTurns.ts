import type { URI } from '@agenthost/protocol';

export interface WaitingTurn {
  readonly resource: URI;
  readonly turnId: string;
  /** Absent for a turn that is to be removed. */
  readonly text: string | undefined;
}

/** In UTF-16 code units, with a constant for each turn. */
const MAX_LENGTH = 4_000_000;
/** This much is written in a few hundredths of a second, during which the host serves no client. */
const MUCH = 128_000;
const LENGTH_OF_TURN = 200;

/** Texts of turns that are not written yet: the newest of each turn, within a memory limit. */
export class WaitingTurns {
  readonly #turns = new Map<string, WaitingTurn>();
  #length = 0;

  get size(): number {
    return this.#turns.size;
  }

  get isFull(): boolean {
    return this.#length > MAX_LENGTH;
  }

  /** Whether there is enough to write now. */
  get isMuch(): boolean {
    return this.#length > MUCH;
  }

  get(resource: URI, turnId: string): WaitingTurn | undefined {
    return this.#turns.get(keyOf(resource, turnId));
  }

  set(turn: WaitingTurn): void {
    const key = keyOf(turn.resource, turn.turnId);
    this.#delete(key);
    this.#turns.set(key, turn);
    this.#length += lengthOf(turn);
  }

  /** Drops the oldest until the others fit; returns their sessions. */
  shrink(): URI[] {
    const lost: URI[] = [];
    for (const [key, { resource }] of this.#turns) {
      if (!this.isFull) break;
      this.#delete(key);
      lost.push(resource);
    }
    return lost;
  }

  deleteAll(resource: URI): void {
    for (const [key, turn] of this.#turns) if (turn.resource === resource) this.#delete(key);
  }

  clear(): void {
    this.#turns.clear();
    this.#length = 0;
  }

  [Symbol.iterator](): Iterator<WaitingTurn> {
    return this.#turns.values();
  }

  #delete(key: string): void {
    const turn = this.#turns.get(key);
    if (!turn) return;
    this.#turns.delete(key);
    this.#length -= lengthOf(turn);
  }
}

function keyOf(resource: URI, turnId: string): string {
  return `${resource}\0${turnId}`;
}

function lengthOf({ text = '' }: WaitingTurn): number {
  return LENGTH_OF_TURN + text.length;
}
