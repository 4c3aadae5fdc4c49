import type { SessionAction, SessionState } from '@agenthost/protocol';
import { ERROR_CODE } from '@agenthost/protocol';
import {
  type Attributes,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { HostLog } from '../hostLog.js';
import type { Sample } from '../metrics/metricTable.js';
import { ExportedMetrics } from './exportedMetrics.js';
import { samplerOf } from './samplerOf.js';
import { SCOPE } from './scope.js';
import { SendingProblems } from './sendingProblems.js';
import { type Telemetry, wantsContent, wantsMetrics, wantsTraces } from './telemetry.js';
import { TurnSpans } from './turnSpans.js';

/** Spans that wait to be sent; more are dropped. */
const QUEUE = 2_048;
const BATCH = 512;
const BATCH_MS = 5_000;
const METRICS_MS = 60_000;
const PATIENCE_MS = 10_000;
/** How long a host that stops waits for a collector. */
const LAST_MS = 2_000;

export interface OpenTelemetryOptions {
  readonly instanceId: string;
  /** With a database. */
  readonly place?: string | undefined;
  readonly read: () => readonly Sample[];
  readonly log: HostLog;
}

/** Sends spans and figures to a collector, over HTTP as protobuf. The variables are those of the process: the exporters read them there. */
export class OpenTelemetry implements Telemetry {
  readonly #traces: TracerProvider | undefined;
  readonly #metrics: MeterProvider | undefined;
  readonly #tracer: Tracer | undefined;
  readonly #turns: TurnSpans | undefined;

  constructor({ instanceId, place, read, log }: OpenTelemetryOptions) {
    const { env } = process;
    const problems = new SendingProblems(log);
    const warn = (what: string) => log.warn(`telemetry: ${what}`);
    // The last host of a process has the word; there is one, but in tests.
    const told = (...words: unknown[]) => problems.happened(words[0]);
    const quiet = () => {};
    const logger = { error: told, warn: told, info: quiet, debug: quiet, verbose: quiet };
    diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
    setGlobalErrorHandler(told);
    const protocol = env['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? 'http/protobuf';
    if (protocol !== 'http/protobuf')
      warn('OTEL_EXPORTER_OTLP_PROTOCOL is not http/protobuf, which is sent all the same');
    const resource = resourceOf(instanceId, place);
    if (wantsTraces(env)) {
      const processor = new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        maxQueueSize: number('OTEL_BSP_MAX_QUEUE_SIZE', QUEUE, 100_000),
        maxExportBatchSize: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', BATCH, 10_000),
        scheduledDelayMillis: number('OTEL_BSP_SCHEDULE_DELAY', BATCH_MS),
        exportTimeoutMillis: number('OTEL_BSP_EXPORT_TIMEOUT', PATIENCE_MS),
      });
      this.#traces = new TracerProvider({ resource, sampler: samplerOf(env, warn), spanProcessors: [processor] });
      this.#tracer = this.#traces.getTracer(SCOPE.name, SCOPE.version);
      this.#turns = new TurnSpans(this.#tracer, { withContent: wantsContent(env) });
    }
    if (wantsMetrics(env)) {
      const every = number('OTEL_METRIC_EXPORT_INTERVAL', METRICS_MS);
      const reader = new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter(),
        exportIntervalMillis: every,
        exportTimeoutMillis: Math.min(number('OTEL_METRIC_EXPORT_TIMEOUT', PATIENCE_MS), every),
        metricProducers: [new ExportedMetrics(read)],
      });
      this.#metrics = new MeterProvider({ resource, readers: [reader] });
    }
  }

  commandBegan(method: string): (errorCode?: number) => void {
    const attributes: Attributes = { 'rpc.system': 'jsonrpc', 'rpc.service': 'agenthost', 'rpc.method': method };
    const span = this.#tracer?.startSpan(method, { kind: SpanKind.SERVER, attributes }, ROOT_CONTEXT);
    return (errorCode) => {
      if (errorCode !== undefined) {
        span?.setAttribute('rpc.jsonrpc.error_code', errorCode);
        span?.setAttribute('error.type', ERROR_NAMES.get(errorCode) ?? String(errorCode));
        span?.setStatus({ code: SpanStatusCode.ERROR });
      }
      span?.end();
    };
  }

  changed(action: SessionAction, before: SessionState, after: SessionState): void {
    this.#turns?.changed(action, before, after);
  }

  async dispose(): Promise<void> {
    this.#turns?.dispose();
    const sent = Promise.allSettled([this.#traces?.shutdown(), this.#metrics?.shutdown()]);
    const late = new Promise((resolve) => setTimeout(resolve, LAST_MS).unref());
    await Promise.race([sent, late]);
  }
}

const ERROR_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(ERROR_CODE).map(([name, code]) => [code, name]),
);

/** What the variables say of the service counts more. Nothing else of this machine is told: no user, no command line, no path. */
function resourceOf(instanceId: string, place: string | undefined): Resource {
  const own = resourceFromAttributes({
    'service.name': SCOPE.name,
    'service.version': SCOPE.version,
    'service.instance.id': instanceId,
    ...(place !== undefined && { 'agenthost.place': place }),
  });
  const given = detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] });
  const language = Object.fromEntries(
    Object.entries(defaultResource().attributes).filter(([name]) => name.startsWith('telemetry.sdk.')),
  );
  return resourceFromAttributes(language).merge(own).merge(given);
}

function number(name: string, usual: number, max = 2 ** 31 - 1): number {
  const given = Number(process.env[name]);
  return Number.isInteger(given) && given > 0 ? Math.min(given, max) : usual;
}
