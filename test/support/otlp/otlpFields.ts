import protobuf from 'protobufjs';

/** The numbers and types that OTLP gives to the fields that the collector reads, `*` for a list. What isn't here is skipped. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, readonly [number: number, type: string]>>>> = {
  Traces: { resourceSpans: [1, '*ResourceSpans'] },
  ResourceSpans: { resource: [1, 'Resource'], scopeSpans: [2, '*ScopeSpans'] },
  ScopeSpans: { spans: [2, '*Span'] },
  Span: {
    traceId: [1, 'bytes'],
    spanId: [2, 'bytes'],
    parentSpanId: [4, 'bytes'],
    name: [5, 'string'],
    kind: [6, 'int32'],
    startTimeUnixNano: [7, 'fixed64'],
    endTimeUnixNano: [8, 'fixed64'],
    attributes: [9, '*KeyValue'],
    status: [15, 'Status'],
  },
  Status: { code: [3, 'int32'] },
  Metrics: { resourceMetrics: [1, '*ResourceMetrics'] },
  ResourceMetrics: { resource: [1, 'Resource'], scopeMetrics: [2, '*ScopeMetrics'] },
  ScopeMetrics: { metrics: [2, '*Metric'] },
  Metric: {
    name: [1, 'string'],
    unit: [3, 'string'],
    gauge: [5, 'Points'],
    sum: [7, 'Points'],
    histogram: [9, 'HistogramPoints'],
  },
  Points: { dataPoints: [1, '*Point'] },
  Point: { asDouble: [4, 'double'], asInt: [6, 'sfixed64'], attributes: [7, '*KeyValue'] },
  HistogramPoints: { dataPoints: [1, '*HistogramPoint'] },
  HistogramPoint: { count: [4, 'fixed64'], attributes: [9, '*KeyValue'] },
  Resource: { attributes: [1, '*KeyValue'] },
  KeyValue: { key: [1, 'string'], value: [2, 'Value'] },
  Value: {
    stringValue: [1, 'string'],
    boolValue: [2, 'bool'],
    intValue: [3, 'int64'],
    doubleValue: [4, 'double'],
    arrayValue: [5, 'Values'],
  },
  Values: { values: [1, '*Value'] },
};

const root = new protobuf.Root();
for (const [name, fields] of Object.entries(FIELDS)) {
  const message = new protobuf.Type(name);
  for (const [field, [number, type]] of Object.entries(fields)) {
    const rule = type.startsWith('*') ? 'repeated' : undefined;
    message.add(new protobuf.Field(field, number, type.replace('*', ''), rule));
  }
  root.add(message);
}

/** The body of each request to a collector, by its path. */
export const OTLP_BODIES = { '/v1/traces': root.lookupType('Traces'), '/v1/metrics': root.lookupType('Metrics') };
