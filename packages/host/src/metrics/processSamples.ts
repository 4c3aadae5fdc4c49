import type { Sample } from './metricTable.js';

/** What the system knows of this process. */
export function processSamples(): Sample[] {
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const startedAt = Date.now() / 1_000 - process.uptime();
  return [
    { metric: 'startTime', labels: {}, value: Math.round(startedAt) },
    ...Object.entries({ resident: rss, heap: heapUsed, external }).map(
      ([kind, value]): Sample => ({ metric: 'memory', labels: { kind }, value }),
    ),
    ...Object.entries({ user, system }).map(
      ([mode, value]): Sample => ({ metric: 'cpu', labels: { mode }, value: value / 1e6 }),
    ),
  ];
}
