import type { AgentEvent } from '../agent.js';

type Delta = Extract<AgentEvent, { type: 'text' | 'reasoning' | 'toolUpdate' }>;

export interface GatherTimer {
  /** Calls back once; returns a function that cancels it. */
  start(callback: () => void, ms: number): () => void;
}

export interface DeltaGathererOptions {
  emit(event: AgentEvent): void;
  /** How long a delta may wait for more. Defaults to 5, at most 10. */
  readonly delayMs?: number;
  readonly timer?: GatherTimer;
}

const DEFAULT_DELAY_MS = 5;
const MAX_DELAY_MS = 10;
/** Maximum number of gathered code units, so that waiting deltas are bounded. */
const MAX_GATHERED = 32_768;

const realTimer: GatherTimer = {
  start: (callback, ms) => {
    const timeout = setTimeout(callback, ms);
    return () => clearTimeout(timeout);
  },
};

/**
 * Gathers deltas at the source for a few milliseconds and merges neighbours of the same part, so that a model which sends
 * single tokens doesn't cost an envelope for each. Nothing is ever reordered: any other event flushes first.
 */
export class DeltaGatherer {
  readonly #emit: (event: AgentEvent) => void;
  readonly #delayMs: number;
  readonly #timer: GatherTimer;
  readonly #gathered: Delta[] = [];
  #size = 0;
  #cancelTimer: (() => void) | undefined;
  #disposed = false;

  constructor({ emit, delayMs = DEFAULT_DELAY_MS, timer = realTimer }: DeltaGathererOptions) {
    this.#emit = emit;
    this.#delayMs = Math.min(Math.max(delayMs, 0), MAX_DELAY_MS);
    this.#timer = timer;
  }

  push(event: AgentEvent): void {
    if (this.#disposed) return;
    if (!isDelta(event)) {
      this.flush();
      this.#emit(event);
      return;
    }
    const last = this.#gathered.at(-1);
    const merged = last && merge(last, event);
    if (merged) this.#gathered[this.#gathered.length - 1] = merged;
    else this.#gathered.push(event);
    // The constant bounds how many empty deltas, or deltas of alternating parts, can wait.
    this.#size += sizeOf(event) + 16;
    if (this.#size >= MAX_GATHERED) this.flush();
    else this.#cancelTimer ??= this.#timer.start(() => this.flush(), this.#delayMs);
  }

  /** Emits waiting deltas now. */
  flush(): void {
    this.#stopTimer();
    this.#size = 0;
    // Emitted one by one: a listener that makes the agent push again must find the rest still ahead of it.
    for (let next = this.#gathered.shift(); next; next = this.#gathered.shift()) this.#emit(next);
  }

  /** Drops waiting deltas; call `flush` before to keep them. */
  dispose(): void {
    this.#disposed = true;
    this.#stopTimer();
    this.#gathered.length = 0;
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}

function isDelta(event: AgentEvent): event is Delta {
  return event.type === 'text' || event.type === 'reasoning' || event.type === 'toolUpdate';
}

function sizeOf(delta: Delta): number {
  return delta.type === 'toolUpdate' ? (delta.output?.length ?? 0) : delta.text.length;
}

function merge(first: Delta, second: Delta): Delta | undefined {
  if (first.type === 'toolUpdate') {
    if (second.type !== 'toolUpdate' || first.toolCallId !== second.toolCallId) return undefined;
    const output = first.output === undefined ? second.output : first.output + (second.output ?? '');
    return { ...first, ...second, ...(output !== undefined && { output }) };
  }
  return second.type === first.type ? { ...first, text: first.text + second.text } : undefined;
}
