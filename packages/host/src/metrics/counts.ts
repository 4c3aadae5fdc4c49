import type { HistogramValue, MetricName, Sample } from './metricTable.js';

/** A label that agents or users could fill with anything must not fill a collector. */
const MAX_SERIES = 200;
const OTHER = 'other';
/** No combination of labels has this key. */
const OTHERS = '\0\0others';
const MAX_LABEL_LENGTH = 64;

/** One number for each combination of labels; those beyond the limit are counted together. */
export class Counts {
  readonly #series = new Map<string, { readonly labels: Readonly<Record<string, string>>; value: number }>();

  add(labels: Readonly<Record<string, string>>, by = 1): void {
    if (!(by >= 0 && by < Number.MAX_SAFE_INTEGER)) return;
    this.#of(labels).value += by;
  }

  samples(metric: MetricName): Sample[] {
    return [...this.#series.values()].map(({ labels, value }) => ({ metric, labels, value }));
  }

  #of(labels: Readonly<Record<string, string>>): { value: number } {
    const key = Object.values(labels).join('\0');
    const known = this.#series.get(key);
    if (known) return known;
    if (this.#series.size >= MAX_SERIES) {
      const others = Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER]));
      const found = this.#series.get(OTHERS);
      if (found) return found;
      const made = { labels: others, value: 0 };
      this.#series.set(OTHERS, made);
      return made;
    }
    const made = { labels: bounded(labels), value: 0 };
    this.#series.set(key, made);
    return made;
  }
}

/** How often something took how long. */
export class Durations {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** In seconds, ascending. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(seconds: number): void {
    if (!(seconds >= 0 && seconds < Number.MAX_SAFE_INTEGER)) return;
    const at = this.#bounds.findIndex((bound) => seconds <= bound);
    const index = at < 0 ? this.#bounds.length : at;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += seconds;
  }

  get value(): HistogramValue {
    return { bounds: this.#bounds, counts: [...this.#counts], sum: this.#sum };
  }
}

function bounded(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, value.slice(0, MAX_LABEL_LENGTH)]));
}
