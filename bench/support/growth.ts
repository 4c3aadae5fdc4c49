import type { Series } from './figure.ts';

/** The slope of log y over log x, by least squares: 0 is flat, 1 is linear. */
export function exponentOf(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(Math.max(y, Number.MIN_VALUE))] as const);
  const mean = (of: (log: readonly [number, number]) => number) =>
    logs.reduce((sum, log) => sum + of(log), 0) / logs.length;
  const [meanX, meanY] = [mean(([x]) => x), mean(([, y]) => y)];
  const covariance = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const variance = logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return variance === 0 ? Number.NaN : covariance / variance;
}

/** What may still be called flat: noise over three decades. */
export const FLAT = 0.15;
/** What may still be called linear. */
export const LINEAR = 1.1;

export function seriesOf(about: Omit<Series, 'exponent'>): Series {
  return { ...about, exponent: Math.round(exponentOf(about.points) * 100) / 100 };
}
