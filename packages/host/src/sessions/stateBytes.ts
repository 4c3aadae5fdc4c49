import { type SessionState, turnLength } from '@agenthost/protocol';
import { jsonBytes } from './jsonBytes.js';

/** What a loaded session takes beside its state: its objects, its files, its agent's connection. */
const SESSION_BYTES = 64 * 1024;

/** About how many bytes a loaded session takes. Kept along with the state: what has not changed is not counted again. */
export class StateBytes {
  #turns = 0;
  #waiting = 0;
  #running = 0;

  constructor(state: SessionState) {
    this.#turns = turnsOf(state);
    this.#waiting = waitingOf(state);
    this.#running = runningOf(state);
  }

  get total(): number {
    return SESSION_BYTES + this.#turns + this.#waiting + this.#running;
  }

  /** `length`: of the action that changed the state. */
  changed(before: SessionState, state: SessionState, length: number): void {
    if (state.turns !== before.turns) this.#turns = turnsOf(state);
    if (state.queuedMessages !== before.queuedMessages || state.steeringMessage !== before.steeringMessage) {
      this.#waiting = waitingOf(state);
    }
    const [turn, running] = [before.activeTurn, state.activeTurn];
    if (running === turn) return;
    // An action adds at most what it says; what was dropped with it is found by counting anew.
    const isSame = running?.id === turn?.id && running?.earlierParts === turn?.earlierParts;
    this.#running = isSame ? this.#running + length : runningOf(state);
  }
}

function turnsOf({ turns }: SessionState): number {
  return turns.reduce((sum, turn) => sum + jsonBytes(turn), 0);
}

function waitingOf({ queuedMessages = [], steeringMessage }: SessionState): number {
  return queuedMessages.reduce(
    (sum, message) => sum + jsonBytes(message),
    steeringMessage ? jsonBytes(steeringMessage) : 0,
  );
}

function runningOf({ activeTurn }: SessionState): number {
  return activeTurn ? jsonBytes(activeTurn.userMessage) + turnLength(activeTurn) : 0;
}
