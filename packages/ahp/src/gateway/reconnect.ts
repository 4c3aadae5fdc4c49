import { ERROR_CODE, type URI } from '@agenthost/protocol';
import { LateResult, RpcError } from '@agenthost/rpc';
import type { JsonRecord } from '../translate/json.js';
import type { AhpSnapshot } from '../types.js';
import type { AhpClient } from './ahpClient.js';
import type { AhpConnection } from './connection.js';
import type { AhpCredential, AhpGateway } from './gateway.js';
import { type ReconnectParams, reconnectParams } from './params.js';

/** Reconnects a client: to its kept state, or as another socket of a client that still has one. */
export async function reconnect(
  gateway: AhpGateway,
  connection: AhpConnection,
  credential: AhpCredential,
  params: JsonRecord,
) {
  const wanted = reconnectParams(params);
  const known = gateway.clientsNamed(wanted.clientId, credential);
  const [any] = known;
  if (!any) throw new RpcError(ERROR_CODE.notFound, 'this client is not known here (any more): initialize again');
  const kept = known.find(({ outlet }) => outlet.socket === undefined);
  const name = 'AHP client';
  // A broken socket may look alive for a while. It keeps its state: this one begins with snapshots.
  const { clientId, spoken, wantsSpecifiedNames } = any;
  const client = kept ?? (await gateway.createClient({ clientId, name, spoken, wantsSpecifiedNames }, credential));
  gateway.hold(client, connection);
  const channels = [...new Set(wanted.cursors.map(({ channel }) => channel))];
  for (const channel of client.channels) if (!channels.includes(channel)) client.unsubscribe(channel);
  const isResumed = new Set(channels.filter((channel) => client.channels.has(channel)));
  const opened = new Map<URI, () => AhpSnapshot>();
  await Promise.all(
    channels.map(async (channel) => {
      const take = await client.subscribe(channel, { isReopened: false }).catch(() => undefined);
      if (take) opened.set(channel, take);
    }),
  );
  const compute = wanted.isPerChannel ? perChannel : together;
  const result = new LateResult(() => {
    const answer = compute(client, wanted, opened, isResumed);
    gateway.attach(client, connection);
    client.outlet.holdBack();
    return answer;
  });
  return { client, result };
}

type Opened = ReadonlyMap<URI, () => AhpSnapshot>;

function together(client: AhpClient, { cursors }: ReconnectParams, opened: Opened, isResumed: ReadonlySet<URI>) {
  const channels = cursors.map(({ channel }) => channel);
  const missing = channels.filter((channel) => !opened.has(channel));
  const present = channels.filter((channel) => opened.has(channel));
  const mayReplay = present.every((channel) => isResumed.has(channel));
  const since = Math.min(...cursors.map((cursor) => cursor.since));
  const actions = mayReplay ? client.missed(since, present) : undefined;
  if (actions) return { type: 'replay', actions, missing };
  return { type: 'snapshot', snapshots: present.flatMap((channel) => opened.get(channel)?.() ?? []), missing };
}

function perChannel(client: AhpClient, { cursors }: ReconnectParams, opened: Opened, isResumed: ReadonlySet<URI>) {
  return {
    channels: cursors.map(({ channel, since }) => {
      const take = opened.get(channel);
      if (!take) return { kind: 'missing', channel };
      const actions = isResumed.has(channel) ? client.missed(since, [channel]) : undefined;
      return actions ? { kind: 'replay', channel, actions } : { kind: 'snapshot', channel, snapshot: take() };
    }),
  };
}
