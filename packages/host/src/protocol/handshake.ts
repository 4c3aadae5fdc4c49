import {
  type Action,
  capabilitiesOf,
  DEFAULT_SNAPSHOT_TURNS,
  ERROR_CODE,
  type InitializeParams,
  type InitializeResult,
  isActionKnownToVersion,
  MAX_PAGE_BYTES,
  MAX_RESYNC_BYTES,
  MIN_PROTOCOL_VERSION,
  negotiateVersion,
  type ReconnectParams,
  type Snapshot,
  type SnapshotResult,
  type SubscribeParams,
  supportedVersions,
  type URI,
} from '@agenthost/protocol';
import { LateResult, type RawResult, RpcError, rawResult } from '@agenthost/rpc';
import { acceptedKey } from '../sessions/acceptedSequences.js';
import { originOf } from '../state/publisher.js';
import type { ClientConnection } from './clientConnection.js';
import type { HostServices, SubscribableResource } from './hostServices.js';
import { snapshotJson } from './snapshotJson.js';
import { SnapshotRoom } from './snapshotRoom.js';

// The answers are computed in the turn in which they are sent (`LateResult`), so that what a snapshot shows and what follows
// it fit exactly, however long it took to load the sessions.

export async function initialize(
  services: HostServices,
  params: InitializeParams,
  connection: ClientConnection,
): Promise<LateResult<RawResult>> {
  const protocolVersion = agreeOn(params.protocolVersion);
  connection.identify(params.clientId, protocolVersion, params.clientInfo);
  const opened = await openAll(params.initialSubscriptions ?? [], connection);
  const room = new SnapshotRoom(opened.snapshots.length);
  await services.pace.turn(bytesOf(services, ...(params.initialSubscriptions ?? [])));
  return new LateResult(() => {
    const snapshots = opened.snapshots.map((take) => room.take(take));
    const result: Omit<InitializeResult, 'snapshots'> = {
      protocolVersion,
      serverSeq: services.sequence.current,
      capabilities: capabilitiesOf(protocolVersion),
      serverInfo: services.serverInfo,
      defaultDirectory: services.defaultDirectory,
      role: connection.role,
    };
    return withSnapshots(result, snapshots);
  });
}

export async function subscribe(
  services: HostServices,
  params: SubscribeParams,
  connection: ClientConnection,
): Promise<LateResult<RawResult>> {
  const take = await connection.subscriptions.open(params.resource);
  await services.pace.turn(bytesOf(services, params.resource));
  const room = { turns: params.turns ?? DEFAULT_SNAPSHOT_TURNS, bytes: MAX_PAGE_BYTES };
  return new LateResult(() => rawResult(snapshotJson(take(room))));
}

export async function reconnect(
  services: HostServices,
  params: ReconnectParams,
  connection: ClientConnection,
): Promise<LateResult<RawResult>> {
  // A client that names no version gets what it agreed on before, or the oldest version: never what it may not know.
  const lastAgreed = services.clients.versionOf(params.clientId) ?? MIN_PROTOCOL_VERSION;
  const protocolVersion = agreeOn(params.protocolVersion ?? lastAgreed);
  connection.identify(params.clientId, protocolVersion, params.clientInfo);
  const wanted = [...new Set(params.subscriptions)];
  const { found, missing } = await findAll(connection, wanted);
  await services.pace.turn(bytesOf(services, ...found.keys()));
  return new LateResult(() => {
    const recentlyAccepted = services.sessions.acceptedFrom(acceptedKey(originOf(connection, 0)), wanted);
    const base = {
      protocolVersion,
      serverInfo: services.serverInfo,
      serverSeq: services.sequence.current,
      missing,
      acceptedClientSeq: mapValues(recentlyAccepted, (recent) => recent.at(-1) ?? 0),
      recentlyAccepted,
      role: connection.role,
    };
    const replay = missedEnvelopes(services, params, found, protocolVersion);
    for (const [uri, resource] of found) connection.subscriptions.resume(uri, resource);
    if (replay) {
      const head = JSON.stringify({ type: 'replay', ...base });
      return rawResult(`${head.slice(0, -1)},"actions":[${replay.join(',')}]}`);
    }
    const room = new SnapshotRoom(found.size);
    const snapshots = [...found.values()].map((resource) => room.take((each) => resource.subscribe(connection, each)));
    const result: Omit<SnapshotResult, 'snapshots'> = { type: 'snapshot', ...base };
    return withSnapshots(result, snapshots);
  });
}

function withSnapshots(result: object, snapshots: readonly Snapshot[]): RawResult {
  return rawResult(`${JSON.stringify(result).slice(0, -1)},"snapshots":[${snapshots.map(snapshotJson).join(',')}]}`);
}

/** About how large the snapshots of these will be. */
function bytesOf({ sessions }: HostServices, ...uris: readonly URI[]): number {
  const sum = uris.reduce((bytes, uri) => bytes + Math.min(sessions.loaded(uri)?.bytes ?? 0, MAX_PAGE_BYTES), 0);
  return Math.min(sum, MAX_RESYNC_BYTES);
}

function agreeOn(theirs: number): number {
  const version = negotiateVersion(theirs);
  if (version !== undefined) return version;
  throw new RpcError(ERROR_CODE.unsupportedProtocolVersion, `protocol version ${theirs} is not supported`, {
    data: { supportedVersions: supportedVersions() },
  });
}

/** The envelopes as JSON texts, or `undefined` when the client has to take snapshots. */
function missedEnvelopes(
  services: HostServices,
  params: ReconnectParams,
  found: ReadonlyMap<URI, SubscribableResource>,
  protocolVersion: number,
): string[] | undefined {
  const { instanceId, lastSeenServerSeq } = params;
  if (instanceId !== services.serverInfo.instanceId || lastSeenServerSeq > services.sequence.current) return undefined;
  return services.replay
    .since(lastSeenServerSeq, new Set(found.keys()), MAX_RESYNC_BYTES)
    ?.filter(({ actionType }) => isActionKnownToVersion({ type: actionType as Action['type'] }, protocolVersion))
    .map(({ json }) => json);
}

async function openAll(uris: readonly URI[], connection: ClientConnection) {
  const opened = await Promise.allSettled([...new Set(uris)].map((uri) => connection.subscriptions.open(uri)));
  // A session that is gone has no snapshot: the client sees that it is missing, and the others are still there.
  return { snapshots: opened.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])) };
}

async function findAll(connection: ClientConnection, uris: readonly URI[]) {
  const found = new Map<URI, SubscribableResource>();
  const missing: URI[] = [];
  const looked = await Promise.allSettled(uris.map((uri) => connection.subscriptions.find(uri)));
  looked.forEach((outcome, index) => {
    const uri = uris[index];
    if (uri === undefined) return;
    if (outcome.status === 'fulfilled') found.set(uri, outcome.value);
    else missing.push(uri);
  });
  return { found, missing };
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
