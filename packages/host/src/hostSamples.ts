import type { Role } from '@agenthost/protocol';
import type { HostServices } from './connection/hostServices.js';
import type { HostBackend } from './hostBackend.js';
import type { Sample } from './metrics/metricTable.js';
import { processSamples } from './metrics/processSamples.js';
import type { Traffic } from './server/sockets/traffic.js';
import type { Session } from './sessions/session.js';
import type { Publisher } from './state/publisher.js';
import { HOST_VERSION } from './version.js';

/** Where the figures of a host are read. */
export interface WatchedParts {
  readonly services: Pick<HostServices, 'clients' | 'delivery' | 'replay' | 'push' | 'terminals'>;
  readonly publisher: Pick<Publisher, 'published' | 'rejections'>;
  readonly instanceId: string;
  /** With a database. */
  readonly place: string | undefined;
  readonly cluster: HostBackend['cluster'];
  readonly connections: () => number;
  /** Absent until the host listens. */
  readonly traffic: () => Traffic | undefined;
}

/** All that is at hand at this moment. It walks through the sessions in memory, and waits for nothing. */
export function hostSamples(parts: WatchedParts, sessions: readonly Session[], evicted: number): Sample[] {
  const { services, publisher, instanceId, place, cluster, connections, traffic } = parts;
  const { clients, delivery, replay, push, terminals } = services;
  const one = (metric: Sample['metric'], value: number): Sample => ({ metric, labels: {}, value });
  const by = (metric: Sample['metric'], label: string, values: Iterable<readonly [string, number]>): Sample[] =>
    [...values].map(([of, value]) => ({ metric, labels: { [label]: of }, value }));
  const { sentBytes = 0, receivedBytes = 0, receivedFrames = 0, cutOff = 0, refused = [] } = traffic() ?? {};
  const about = { version: HOST_VERSION, host: instanceId, ...(place !== undefined && { place }) };
  return [
    { metric: 'info', labels: about, value: 1 },
    one('ready', cluster?.trouble === undefined ? 1 : 0),
    ...by('sessions', 'state', sessionStates(sessions)),
    one('sessionBytes', sum(sessions.map(({ bytes }) => bytes))),
    one('sessionsEvicted', evicted),
    one('queued', sum(sessions.map(waitingMessages))),
    ...by('clients', 'role', rolesOf([...clients.all])),
    one('connections', connections()),
    ...by('refused', 'reason', refused),
    one('cutOff', cutOff),
    one('envelopes', publisher.published),
    one('deliveries', delivery.sent),
    one('framesReceived', receivedFrames),
    ...by('bytes', 'direction', [
      ['sent', sentBytes],
      ['received', receivedBytes],
    ]),
    one('outbound', delivery.waitingLength),
    { metric: 'logFlush', labels: {}, value: delivery.storeTimes },
    ...by('rejections', 'code', publisher.rejections),
    one('replayBytes', replay.bytes),
    one('replayEnvelopes', replay.count),
    one('terminals', terminals.size),
    ...by('pushes', 'outcome', push.outcomes),
    ...processSamples(),
  ];
}

/** Each session once, by what it waits for. */
function sessionStates(sessions: readonly Session[]): Iterable<readonly [string, number]> {
  const states = new Map([
    ['idle', 0],
    ['running', 0],
    ['waiting', 0],
  ]);
  for (const { state } of sessions) {
    const isWaiting = state.summary.status === 'inputNeeded';
    const name = isWaiting ? 'waiting' : state.activeTurn ? 'running' : 'idle';
    states.set(name, (states.get(name) ?? 0) + 1);
  }
  return states;
}

function waitingMessages({ state }: Session): number {
  return (state.queuedMessages?.length ?? 0) + (state.steeringMessage ? 1 : 0);
}

function rolesOf(clients: readonly { readonly role: Role }[]): Iterable<readonly [string, number]> {
  const roles = new Map<string, number>();
  for (const { role } of clients) roles.set(role, (roles.get(role) ?? 0) + 1);
  return roles;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
