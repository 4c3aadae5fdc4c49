import type { URI } from '@agenthost/protocol';

export interface WaitingTurn {
  readonly resource: URI;
  readonly turnId: string;
  /** Absent for a turn that is to be forgotten. */
  readonly text: string | undefined;
}

/** In UTF-16 code units, with something for each turn, however short. */
const MAX_LENGTH = 4_000_000;
/** So much is written in a few hundredths of a second; nobody else is served meanwhile. */
const MUCH = 128_000;
const LENGTH_OF_TURN = 200;

/** Texts of turns that are not written yet: of each turn the newest, and no more than the memory should hold. */
export class WaitingTurns {
  readonly #turns = new Map<string, WaitingTurn>();
  #length = 0;

  get size(): number {
    return this.#turns.size;
  }

  get isFull(): boolean {
    return this.#length > MAX_LENGTH;
  }

  /** Enough to be written right now. */
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

  /** Gives up the oldest until the others have room; says whose they were. */
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
