import type { Figure } from './figure.ts';

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value that this part of all is not above; 0 of none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? 0;
}

/** From the lowest to the highest, as a part of the median: how much a figure is to be trusted. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

export function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

/** A figure from rounds in which ours and the baseline took turns. */
export function figureOf(
  about: Pick<Figure, 'measure' | 'name' | 'unit' | 'better' | 'limit'> & { readonly baseline: string },
  ours: readonly number[],
  theirs: readonly number[],
): Figure {
  const { baseline, ...rest } = about;
  return {
    ...rest,
    value: rounded(median(ours)),
    spread: rounded(spread(ours)),
    baseline: { name: baseline, value: rounded(median(theirs)) },
    ratio: rounded(median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)))),
  };
}

/** More than three digits are not meaningful. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
