import type { SessionState, Turn } from '@agenthost/protocol';
import { turnLength, withNewestTurns } from '@agenthost/protocol/internal';
import { TURN_BYTES_IN_MEMORY, TURNS_IN_MEMORY } from './sessionLimits.js';

/** Memory of a loaded session beside its state: its objects, its files, its agent's connection. */
const SESSION_BYTES = 64 * 1024;
/** A smaller running turn is not counted again. */
const MIN_RECOUNT = 128 * 1024;

/** About how many bytes a loaded session takes. Updated with the state: unchanged parts are not counted again. */
export class StateBytes {
  #turns: number;
  #waiting: number;
  /** The bytes of the running turn at the last count, and the estimate since then. */
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

  /** `length`: of the action as JSON. The state has grown by at most that. */
  changed(before: SessionState, state: SessionState, length: number): void {
    if (state.turns !== before.turns) this.#turns = turnsOf(state);
    if (state.queuedMessages !== before.queuedMessages || state.steeringMessage !== before.steeringMessage) {
      this.#waiting = waitingOf(state);
    }
    const [turn, running] = [before.activeTurn, state.activeTurn];
    if (running === turn) return;
    this.#running += length;
    const isSame = running?.id === turn?.id && running?.earlierParts === turn?.earlierParts;
    // Counted again when parts were dropped and when the estimate has doubled: most of a tool's output is not in the state.
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

const known = new WeakMap<object, number>();

/**
 * The bytes of the value as JSON. Counted without making that text, which would be garbage of the same size, and cached, because
 * values in a state never change: for the value itself and for the items of its lists, such as the parts of a turn, of which a
 * snapshot may have only some.
 */
export function jsonBytes(value: object): number {
  const bytes = known.get(value) ?? bytesOf(value);
  known.set(value, bytes);
  return bytes;
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return textBytes(value);
  if (!isObject(value)) return String(value).length;
  if (Array.isArray(value)) return listBytes(value);
  let bytes = 1;
  for (const [key, inner] of Object.entries(value)) {
    // Keys are short and plain, except those that are ids.
    if (inner !== undefined) bytes += textBytes(key) + 2 + bytesOf(inner);
  }
  return Math.max(bytes, 2);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function listBytes(list: readonly unknown[]): number {
  let bytes = 1;
  for (const entry of list) bytes += (isObject(entry) ? jsonBytes(entry) : bytesOf(entry)) + 1;
  return Math.max(bytes, 2);
}

/** With its quotes, in UTF-8. */
function textBytes(text: string): number {
  let bytes = text.length + 2;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) {
      if (code < 0x20) bytes += isShort(code) ? 1 : 5;
      else if (code === 0x22 || code === 0x5c) bytes += 1;
    } else if (code < 0x800) bytes += 1;
    else if (code < 0xd800 || code > 0xdfff) bytes += 2;
    else if (isPair(code, text.charCodeAt(at + 1))) {
      bytes += 2;
      at++;
    } else bytes += 5;
  }
  return bytes;
}

/** Backspace, tab, new line, form feed, return: a backslash and a letter. */
function isShort(code: number): boolean {
  return code >= 8 && code <= 13 && code !== 11;
}

function isPair(high: number, low: number): boolean {
  return high < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
}

/** How many of the newest turns fit into that many bytes. The turns before them are not counted. */
export function turnsWithin(turns: readonly Turn[], bytes: number): number {
  let room = bytes;
  const tooOld = turns.findLastIndex((turn) => {
    room -= jsonBytes(turn);
    return room < 0;
  });
  return turns.length - 1 - tooOld;
}

export interface TurnsRoom {
  readonly turns: number;
  readonly bytes: number;
}

/** The state with the newest turns that fit, and the last one in any case. */
export function withTurnsWithin(state: SessionState, { turns, bytes }: TurnsRoom): SessionState {
  return withNewestTurns(state, Math.min(turns, Math.max(turnsWithin(state.turns, bytes), 1)));
}

/** The state without turns that are too many or too large for the memory. Cuts with some slack, so that a long session does not copy its window at every turn. */
export function withinMemory(state: SessionState): SessionState {
  const fits = turnsWithin(state.turns, TURN_BYTES_IN_MEMORY * 1.25) === state.turns.length;
  if (fits && state.turns.length <= TURNS_IN_MEMORY * 1.25) return state;
  return withTurnsWithin(state, { turns: TURNS_IN_MEMORY, bytes: TURN_BYTES_IN_MEMORY });
}
