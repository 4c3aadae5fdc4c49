import { type HrTime, ValueType } from '@opentelemetry/api';
import { hrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { type HistogramValue, METRICS, type MetricName, type Sample } from '../metrics/metricTable.js';
import { SCOPE } from './scope.js';

/** The same figures as at `/metrics`, read when they are sent. */
export class ExportedMetrics implements MetricProducer {
  readonly #read: () => readonly Sample[];
  readonly #startTime: HrTime = hrTime();

  constructor(read: () => readonly Sample[]) {
    this.#read = read;
  }

  async collect(): Promise<CollectionResult> {
    const samples = this.#read();
    const metrics = (Object.keys(METRICS) as MetricName[]).flatMap((metric) => {
      const found = samples.filter((sample) => sample.metric === metric);
      return found.length === 0 ? [] : [this.#metric(metric, found)];
    });
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope: SCOPE, metrics }] }, errors: [] };
  }

  #metric(metric: MetricName, samples: readonly Sample[]): MetricData {
    const { name, help, unit, type } = METRICS[metric];
    const about = {
      descriptor: { name, description: help, unit, valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    const at = { startTime: this.#startTime, endTime: hrTime() };
    if (type === 'histogram') {
      const dataPoints = samples.map(({ labels, value }) => ({
        ...at,
        attributes: labels,
        value: histogram(value as HistogramValue),
      }));
      return { ...about, dataPointType: DataPointType.HISTOGRAM, dataPoints };
    }
    const dataPoints = samples.map(({ labels, value }) => ({ ...at, attributes: labels, value: value as number }));
    if (type === 'gauge') return { ...about, dataPointType: DataPointType.GAUGE, dataPoints };
    return { ...about, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  }
}

function histogram({ bounds, counts, sum }: HistogramValue) {
  const count = counts.reduce((all, of) => all + of, 0);
  return { buckets: { boundaries: [...bounds], counts: [...counts] }, sum, count };
}
