import { type HistogramValue, METRICS, type MetricName, prometheusName, type Sample } from './metricTable.js';

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The text format of Prometheus, 0.0.4. `common` are labels of each line. */
export function prometheusText(samples: readonly Sample[], common: Readonly<Record<string, string>> = {}): string {
  const lines: string[] = [];
  for (const metric of Object.keys(METRICS) as MetricName[]) {
    const found = samples.filter((sample) => sample.metric === metric);
    if (found.length === 0) continue;
    const { help, type } = METRICS[metric];
    const name = prometheusName(METRICS[metric]);
    lines.push(`# HELP ${name} ${help}.`, `# TYPE ${name} ${type}`);
    for (const { labels, value } of found) {
      const all = { ...common, ...labels };
      if (typeof value === 'number') lines.push(`${name}${labelText(all)} ${numberText(value)}`);
      else lines.push(...histogramLines(name, all, value));
    }
  }
  return `${lines.join('\n')}\n`;
}

function histogramLines(name: string, labels: Readonly<Record<string, string>>, value: HistogramValue): string[] {
  let count = 0;
  const buckets = value.counts.map((of, index) => {
    count += of;
    const le = index < value.bounds.length ? String(value.bounds[index]) : '+Inf';
    return `${name}_bucket${labelText({ ...labels, le })} ${count}`;
  });
  return [
    ...buckets,
    `${name}_sum${labelText(labels)} ${numberText(value.sum)}`,
    `${name}_count${labelText(labels)} ${count}`,
  ];
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\r', ' ');
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
