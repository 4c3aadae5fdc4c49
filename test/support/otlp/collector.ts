import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { OTLP_BODIES } from './otlpFields.js';

export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly startMs: number;
  readonly endMs: number;
  /** 2 for an error. */
  readonly status: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: 'gauge' | 'sum' | 'histogram';
  readonly points: readonly { readonly attributes: Readonly<Record<string, unknown>>; readonly value: number }[];
}

/** An OTLP/HTTP collector with a decoder that is not the exporter's. */
export class Collector {
  readonly spans: ReceivedSpan[] = [];
  readonly metrics = new Map<string, ReceivedMetric>();
  resource: Readonly<Record<string, unknown>> = {};
  /** All bytes that came, with the headers: nothing is overlooked by decoding. */
  readonly raw: Buffer[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  /** Answered instead of 200, if set. */
  status: number | undefined;
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  readonly #waiting = new Set<() => void>();

  static async listen(): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when something has come that fits. */
  async until(fits: () => boolean, timeoutMs = 15_000): Promise<void> {
    const signal = AbortSignal.timeout(timeoutMs);
    while (!fits()) {
      const came = Promise.withResolvers<void>();
      const late = () => came.reject(new Error(`it did not come; names: ${this.spans.map(({ name }) => name)}`));
      this.#waiting.add(came.resolve);
      signal.addEventListener('abort', late, { once: true });
      await came.promise.finally(() => signal.removeEventListener('abort', late));
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await buffer(request);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    const type = OTLP_BODIES[request.url as keyof typeof OTLP_BODIES];
    this.raw.push(body, Buffer.from(JSON.stringify([request.url, request.headers])));
    this.headers.push(request.headers);
    if (!type || request.headers['content-type'] !== 'application/x-protobuf') {
      response.writeHead(415).end();
      return;
    }
    const message = type.toObject(type.decode(body), { longs: String, bytes: String, arrays: true }) as Received;
    for (const { resource, scopeSpans = [], scopeMetrics = [] } of [
      ...(message.resourceSpans ?? []),
      ...(message.resourceMetrics ?? []),
    ]) {
      this.resource = attributesOf(resource?.attributes);
      for (const { spans } of scopeSpans) this.spans.push(...spans.map(spanOf));
      for (const { metrics } of scopeMetrics)
        for (const metric of metrics) this.metrics.set(metric.name, metricOf(metric));
    }
    response.writeHead(this.status ?? 200, { 'content-type': 'application/x-protobuf' }).end();
    for (const come of this.#waiting) come();
    this.#waiting.clear();
  }
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface WireSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code?: number };
  readonly attributes: readonly KeyValue[];
}

interface WirePoint {
  readonly attributes: readonly KeyValue[];
  readonly asDouble?: number;
  readonly asInt?: string;
  readonly count?: string;
}

interface WireMetric {
  readonly name: string;
  readonly unit?: string;
  readonly gauge?: { readonly dataPoints: readonly WirePoint[] };
  readonly sum?: { readonly dataPoints: readonly WirePoint[] };
  readonly histogram?: { readonly dataPoints: readonly WirePoint[] };
}

interface Of {
  readonly resource?: { readonly attributes: readonly KeyValue[] };
  readonly scopeSpans?: readonly { readonly spans: readonly WireSpan[] }[];
  readonly scopeMetrics?: readonly { readonly metrics: readonly WireMetric[] }[];
}

interface Received {
  readonly resourceSpans?: readonly Of[];
  readonly resourceMetrics?: readonly Of[];
}

function attributesOf(attributes: readonly KeyValue[] = []): Record<string, unknown> {
  const plainOf = (value: KeyValue['value']) => {
    const [[kind, plain] = []] = Object.entries(value);
    return kind === 'intValue' ? Number(plain) : plain;
  };
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainOf(value)]));
}

function spanOf(span: WireSpan): ReceivedSpan {
  const { name, kind, traceId, spanId, parentSpanId = '', status, attributes } = span;
  const [startMs, endMs] = [Number(span.startTimeUnixNano) / 1e6, Number(span.endTimeUnixNano) / 1e6];
  const about = { name, kind, traceId, spanId, parentSpanId, startMs, endMs };
  return { ...about, status: status?.code ?? 0, attributes: attributesOf(attributes) };
}

function metricOf({ name, unit = '', gauge, sum, histogram }: WireMetric): ReceivedMetric {
  const kind = gauge ? 'gauge' : sum ? 'sum' : 'histogram';
  const points = (gauge ?? sum ?? histogram)?.dataPoints ?? [];
  const plainOf = ({ asDouble, asInt, count }: WirePoint) => asDouble ?? Number(asInt ?? count ?? 0);
  return {
    name,
    unit,
    kind,
    points: points.map((point) => ({ attributes: attributesOf(point.attributes), value: plainOf(point) })),
  };
}
