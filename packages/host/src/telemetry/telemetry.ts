import type { SessionAction, SessionState } from '@agenthost/protocol';

/** Tells a collector what the host does. It never delays what it tells of, and never fails it. */
export interface Telemetry {
  /** A command of a client begins; call the result with its end, and the error code of a failed one. */
  commandBegan(method: string): (errorCode?: number) => void;
  /** The state of a session has changed. */
  changed(action: SessionAction, before: SessionState, after: SessionState): void;
  /** Sends what waits, if that is possible soon. */
  dispose(): Promise<void>;
}

type Env = Readonly<Record<string, string | undefined>>;

const ENDPOINTS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
];

/** Off unless the variables of OpenTelemetry name a collector, or ask for the exporter with its default address. */
export function wantsTelemetry(env: Env): boolean {
  if (isTrue(env['OTEL_SDK_DISABLED'])) return false;
  if (!wantsTraces(env) && !wantsMetrics(env)) return false;
  const asks = [env['OTEL_TRACES_EXPORTER'], env['OTEL_METRICS_EXPORTER']].includes('otlp');
  return asks || ENDPOINTS.some((name) => (env[name] ?? '').trim() !== '');
}

export function wantsTraces(env: Env): boolean {
  return env['OTEL_TRACES_EXPORTER'] !== 'none';
}

export function wantsMetrics(env: Env): boolean {
  return env['OTEL_METRICS_EXPORTER'] !== 'none';
}

/** Whether messages, and what goes into tools and comes out of them, may leave. */
export function wantsContent(env: Env): boolean {
  return isTrue(env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT']);
}

function isTrue(value: string | undefined): boolean {
  return value?.trim().toLowerCase() === 'true';
}
