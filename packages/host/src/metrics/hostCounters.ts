import { Counts, Durations } from './counts.js';
import type { Sample } from './metricTable.js';

/** Of turns: some answer in a second, some work for hours. */
const TURN_BOUNDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600];
/** A new agent beyond these is counted with the others. */
const MAX_AGENTS = 50;

/** How a turn ended. */
export type TurnOutcome = 'complete' | 'cancelled' | 'failed' | 'interrupted' | 'loginNeeded';

export interface EndedTurn {
  readonly agent: string;
  readonly outcome: TurnOutcome;
  readonly ms: number;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

/** What can't be read when somebody asks: it is counted where it happens, a few additions for a turn, a command or a flush. */
export class HostCounters {
  readonly #turns = new Counts();
  readonly #tokens = new Counts();
  readonly #commands = new Counts();
  readonly #turnSeconds = new Map<string, Durations>();

  turnEnded({ agent: given, outcome, ms, inputTokens = 0, outputTokens = 0 }: EndedTurn): void {
    const agent = this.#turnSeconds.has(given) || this.#turnSeconds.size < MAX_AGENTS ? given : 'other';
    const seconds = this.#turnSeconds.get(agent) ?? new Durations(TURN_BOUNDS);
    this.#turnSeconds.set(agent, seconds);
    seconds.add(ms / 1_000);
    this.#turns.add({ agent, outcome });
    this.#tokens.add({ agent, type: 'input' }, inputTokens);
    this.#tokens.add({ agent, type: 'output' }, outputTokens);
  }

  commandEnded(method: string, outcome: 'done' | 'failed' | 'refused'): void {
    this.#commands.add({ method, outcome });
  }

  samples(): Sample[] {
    return [
      ...this.#turns.samples('turns'),
      ...[...this.#turnSeconds].map(([agent, { value }]) => ({
        metric: 'turnSeconds' as const,
        labels: { agent },
        value,
      })),
      ...this.#tokens.samples('tokens'),
      ...this.#commands.samples('commands'),
    ];
  }
}
