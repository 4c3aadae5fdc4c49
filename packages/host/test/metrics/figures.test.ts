import parsePrometheus from 'parse-prometheus-text-format';
import { expect, it } from 'vitest';
import { Counts, Durations } from '../../src/metrics/counts.js';
import { HostCounters } from '../../src/metrics/hostCounters.js';
import { METRICS, prometheusName } from '../../src/metrics/metricTable.js';
import { prometheusText } from '../../src/metrics/prometheusText.js';

it('ten thousand values of a label make two hundred series, and one for all others', () => {
  const counts = new Counts();
  for (let n = 0; n < 10_000; n++) counts.add({ code: `code ${n}` });
  const samples = counts.samples('rejections');
  expect(samples).toHaveLength(201);
  expect(samples.at(-1)).toMatchObject({ labels: { code: 'other' }, value: 9_800 });
});

it('agents with invented names and numbers do no harm', () => {
  const counters = new HostCounters();
  for (let n = 0; n < 1_000; n++) counters.turnEnded({ agent: `agent ${n}`, outcome: 'complete', ms: 1 });
  for (const ms of [Number.NaN, -5, Number.POSITIVE_INFINITY])
    counters.turnEnded({ agent: 'odd', outcome: 'failed', ms, inputTokens: ms, outputTokens: ms });
  const samples = counters.samples();
  expect(new Set(samples.flatMap(({ labels }) => labels['agent'] ?? [])).size).toBe(51);
  const text = prometheusText(samples);
  expect(text).not.toMatch(/NaN|Inf [^"]|-\d/);
  expect(text.length).toBeLessThan(100_000);
});

it('any text in a label stays one line and one label', () => {
  const nasty = 'a"} 1\nagenthost_evil{x="\\\r\n';
  const text = prometheusText([{ metric: 'turns', labels: { agent: nasty, outcome: 'failed' }, value: 1 }], {
    place: nasty,
  });
  const [family, ...more] = parsePrometheus(text) as { metrics: { labels: Record<string, string> }[] }[];
  expect(more).toEqual([]);
  expect(text.trimEnd().split('\n')).toHaveLength(3);
  expect(Object.keys(family?.metrics[0]?.labels ?? {})).toEqual(['place', 'agent', 'outcome']);
});

it('a duration is in the bucket whose bound it reaches', () => {
  const durations = new Durations([1, 2]);
  for (const seconds of [0, 1, 1.5, 2, 3]) durations.add(seconds);
  expect(durations.value).toEqual({ bounds: [1, 2], counts: [2, 2, 1], sum: 7.5 });
  const text = prometheusText([{ metric: 'logFlush', labels: {}, value: durations.value }]);
  const lines = text.split('\n').filter((line) => line.includes('_bucket') || line.includes('_count'));
  expect(lines.map((line) => line.split(' ')[1])).toEqual(['2', '4', '5', '5']);
});

it('names are valid for Prometheus, with their unit, and different', () => {
  const names = Object.values(METRICS).map(prometheusName);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^agenthost_[a-z][a-z_]*$/);
  for (const row of Object.values(METRICS))
    expect([row.name, prometheusName(row).endsWith('_total')]).toEqual([row.name, row.type === 'counter']);
});
