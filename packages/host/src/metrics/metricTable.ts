/** What the host counts and measures. docs/watching.md has the same rows; a test compares them. */
export interface MetricRow {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** As OpenTelemetry writes it: `s`, `By`, or what is counted in braces. */
  readonly unit: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

const row = (
  name: string,
  type: MetricRow['type'],
  unit: string,
  help: string,
  labels?: readonly string[],
): MetricRow => ({ name: `agenthost.${name}`, type, unit, help, ...(labels && { labels }) });

/** No label has a title, a path, a word of a conversation, or the id of a session or a client: each has few values. */
export const METRICS = {
  info: row('info', 'gauge', '', 'One; its labels say which host this is', ['version', 'host', 'place']),
  ready: row('ready', 'gauge', '', 'Whether /healthz answers ok'),
  startTime: row('start_time', 'gauge', 's', 'When the host started, in seconds since 1970'),
  sessions: row('sessions', 'gauge', '{session}', 'Sessions in memory', ['state']),
  sessionBytes: row('sessions.size', 'gauge', 'By', 'Memory that their states take, as the host counts it'),
  sessionsEvicted: row('sessions.evicted', 'counter', '{session}', 'Sessions that left the memory'),
  queued: row('messages.waiting', 'gauge', '{message}', 'Messages that wait for the end of a turn'),
  turns: row('turns', 'counter', '{turn}', 'Turns that have ended', ['agent', 'outcome']),
  turnSeconds: row('turn.duration', 'histogram', 's', 'How long turns took', ['agent']),
  tokens: row('tokens', 'counter', '{token}', 'Tokens of ended turns, as agents reported them', ['agent', 'type']),
  clients: row('clients', 'gauge', '{client}', 'Clients that have shaken hands', ['role']),
  connections: row('connections', 'gauge', '{connection}', 'Connections of clients'),
  refused: row('connections.refused', 'counter', '{connection}', 'Connections that were not let in', ['reason']),
  cutOff: row('connections.cut_off', 'counter', '{connection}', 'Clients that did not read what they were sent'),
  envelopes: row('envelopes', 'counter', '{envelope}', 'Changes of state that were told'),
  deliveries: row('frames.sent', 'counter', '{frame}', 'Frames for clients, one for each receiver'),
  framesReceived: row('frames.received', 'counter', '{frame}', 'Frames of clients'),
  bytes: row('network', 'counter', 'By', 'Bytes of frames on WebSockets', ['direction']),
  outbound: row('delivery.waiting', 'gauge', '{char}', 'Characters of frames that are not sent yet'),
  rejections: row('rejections', 'counter', '{action}', 'Actions of clients that were refused', ['code']),
  commands: row('commands', 'counter', '{command}', 'Commands of clients', ['method', 'outcome']),
  replayBytes: row('replay.size', 'gauge', 'By', 'Envelopes that are kept for clients that come back'),
  replayEnvelopes: row('replay.envelopes', 'gauge', '{envelope}', 'How many these are'),
  logFlush: row('log.flush.duration', 'histogram', 's', 'How long it took until changes were stored'),
  loopDelay: row('event_loop.delay', 'gauge', 's', 'Delay of the event loop since the look before', ['quantile']),
  loopActive: row('event_loop.active', 'counter', 's', 'How long the event loop was at work'),
  memory: row('memory', 'gauge', 'By', 'Memory of the process', ['kind']),
  cpu: row('cpu', 'counter', 's', 'CPU time of the process', ['mode']),
  terminals: row('terminals', 'gauge', '{terminal}', 'Shared terminals'),
  pushes: row('pushes', 'counter', '{notification}', 'Push notifications that a push service answered', ['outcome']),
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;

/** What was found of one metric at one time. */
export interface Sample {
  readonly metric: MetricName;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | HistogramValue;
}

export interface HistogramValue {
  readonly bounds: readonly number[];
  /** How many were at or below each bound and above the one before; the last one: above all. */
  readonly counts: readonly number[];
  readonly sum: number;
}

const UNITS: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' };

/** As OpenTelemetry says that names are written for Prometheus. */
export function prometheusName({ name, unit, type }: MetricRow): string {
  return `${name.replaceAll('.', '_')}${UNITS[unit] ?? ''}${type === 'counter' ? '_total' : ''}`;
}
