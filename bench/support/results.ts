import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from './figure.ts';

/** One run of the benchmarks, or of one of them later than the others. */
export interface Run extends Outcome {
  readonly date: string;
  readonly machine: string;
  /** How busy the machine was, before and after: with more than its cores the wall-clock figures are worth little. */
  readonly load: readonly [before: number, after: number];
}

export type Mode = 'full' | 'quick';
export type Results = Partial<Record<Mode, Run>>;

export const RESULTS_FILE = join(import.meta.dirname, '../results.json');

export function readResults(file = RESULTS_FILE): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {};
}

/** What was measured now takes the place of what these measures had found before. */
export function merged(before: Run | undefined, now: Run, measures: readonly string[]): Run {
  const others = <T extends { readonly measure: string }>(items: readonly T[] = []) =>
    items.filter(({ measure }) => !measures.includes(measure));
  return {
    ...now,
    figures: [...others(before?.figures), ...now.figures],
    series: [...others(before?.series), ...now.series],
  };
}

export function writeResults(results: Results, file = RESULTS_FILE): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}

export function machine(): string {
  const [cpu] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${gigabytes} GB, ${platform()}, Node ${process.version}`;
}

export function load(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10;
}
