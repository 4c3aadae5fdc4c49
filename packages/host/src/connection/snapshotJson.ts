import type { Snapshot, Turn } from '@agenthost/protocol';
import { dropOldest } from '@agenthost/protocol/internal';

/** The size of the cache, and how long it is kept. */
const MAX_KEPT = 4;
const KEPT_MS = 1_000;

interface Kept {
  readonly turns: number;
  readonly json: string;
}

const kept = new Map<object, Kept>();
let timer: NodeJS.Timeout | undefined;

/**
 * A snapshot as JSON. Many clients may ask for the same one at the same time, for instance after a network failure: the turns, which
 * are most of it, are encoded once for all of them.
 */
export function snapshotJson(snapshot: Snapshot): string {
  const { state, ...about } = snapshot;
  if (!('turns' in state)) return JSON.stringify(snapshot);
  const { turns, activeTurn, ...rest } = state;
  const running = activeTurn ? `,"activeTurn":${keptJson(activeTurn, 0, () => JSON.stringify(activeTurn))}` : '';
  const around = JSON.stringify({ ...about, state: rest });
  return `${around.slice(0, -2)},"turns":${turnsJson(turns)}${running}}}`;
}

function turnsJson(turns: readonly Turn[]): string {
  const last = turns.at(-1);
  return last ? keptJson(last, turns.length, () => JSON.stringify(turns)) : '[]';
}

/**
 * Cached by the object of the last turn and the number of turns. That is enough: turns are only added at the end and never change
 * after that (RED12), so the same object follows the same turns. A running turn is a new object with each change.
 */
function keptJson(key: object, turns: number, encode: () => string): string {
  const found = kept.get(key);
  if (found?.turns === turns) return found.json;
  const json = encode();
  kept.delete(key);
  kept.set(key, { turns, json });
  dropOldest(kept, MAX_KEPT);
  if (timer === undefined) timer = setTimeout(forget, KEPT_MS).unref();
  return json;
}

function forget(): void {
  timer = undefined;
  kept.clear();
}
