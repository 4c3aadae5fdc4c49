export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** From the lowest to the highest, as a part of the median: how much a figure is to be trusted. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

export function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
