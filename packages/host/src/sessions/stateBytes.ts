import { type SessionState, turnLength } from '@agenthost/protocol';
import { jsonBytes } from './history/jsonBytes.js';

/** What a loaded session takes beside its state: its objects, its files, its agent's connection. */
const SESSION_BYTES = 64 * 1024;
/** A running turn that is smaller is not counted again. */
const MIN_RECOUNT = 128 * 1024;

/** About how many bytes a loaded session takes. Kept along with the state: what has not changed is not counted again. */
export class StateBytes {
  #turns: number;
  #waiting: number;
  /** The running turn when it was last counted, and with what actions may have added to it since then. */
  #counted: number;
  #running: number;

  constructor(state: SessionState) {
    this.#turns = turnsOf(state);
    this.#waiting = waitingOf(state);
    this.#counted = runningOf(state);
    this.#running = this.#counted;
  }

  get total(): number {
    return SESSION_BYTES + this.#turns + this.#waiting + this.#running;
  }

  /** `length`: of the action that changed the state, as JSON. The state has grown by no more than that. */
  changed(before: SessionState, state: SessionState, length: number): void {
    if (state.turns !== before.turns) this.#turns = turnsOf(state);
    if (state.queuedMessages !== before.queuedMessages || state.steeringMessage !== before.steeringMessage) {
      this.#waiting = waitingOf(state);
    }
    const [turn, running] = [before.activeTurn, state.activeTurn];
    if (running === turn) return;
    this.#running += length;
    const isSame = running?.id === turn?.id && running?.earlierParts === turn?.earlierParts;
    // Counted anew when parts were dropped, and whenever the estimate has doubled: most of what a tool prints is not in the state.
    if (isSame && this.#running < Math.max(2 * this.#counted, MIN_RECOUNT)) return;
    this.#counted = runningOf(state);
    this.#running = this.#counted;
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
  if (!activeTurn) return 0;
  const { userMessage, pendingPermissions, answeredPermissions = [] } = activeTurn;
  return (
    jsonBytes(userMessage) + turnLength(activeTurn) + jsonBytes(pendingPermissions) + jsonBytes(answeredPermissions)
  );
}
