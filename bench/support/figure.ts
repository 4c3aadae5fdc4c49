/** What a measure found: a figure of ours beside a baseline of the same run. */
export interface Figure {
  readonly measure: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** From the lowest to the highest round, as a part of the median. */
  readonly spread: number;
  readonly baseline: { readonly name: string; readonly value: number };
  /** Ours to the baseline, the median of the rounds: the result, because machines are noisy. */
  readonly ratio: number;
  readonly better: 'higher' | 'lower';
  readonly limit?: Limit;
}

/** What has to be reached, of the ratio or of the value itself. */
export interface Limit {
  readonly of: 'ratio' | 'value';
  readonly is: 'atLeast' | 'atMost';
  readonly bound: number;
}

/** How a cost grows: `y` is about `x` to the power of `exponent`. */
export interface Series {
  readonly measure: string;
  readonly name: string;
  readonly x: string;
  readonly y: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly exponent: number;
  /** What the exponent may be. */
  readonly atMost: number;
}

export interface Outcome {
  readonly figures: readonly Figure[];
  readonly series: readonly Series[];
}

export const atLeast = (bound: number, of: Limit['of'] = 'ratio'): Limit => ({ of, is: 'atLeast', bound });
export const atMost = (bound: number, of: Limit['of'] = 'ratio'): Limit => ({ of, is: 'atMost', bound });

/** By how much of the bound a figure misses its limit; 0 when it is reached. */
export function missedBy({ limit, ratio, value }: Figure): number {
  if (!limit) return 0;
  const found = limit.of === 'ratio' ? ratio : value;
  const missing = limit.is === 'atLeast' ? limit.bound - found : found - limit.bound;
  // Not a number is nothing that was reached.
  if (!(missing <= 0)) return Number.isNaN(missing) ? 1 : missing / limit.bound;
  return 0;
}
