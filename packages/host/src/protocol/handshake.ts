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
  type ReconnectResult,
  ROOT_URI,
  type Snapshot,
  type SubscribeParams,
  supportedVersions,
  type URI,
} from '@agenthost/protocol';
import { LateResult, type RawResult, RpcError, rawResult } from '@agenthost/rpc';
import { acceptedKey } from '../sessions/acceptedSequences.js';
import { originOf } from '../state/publisher.js';
import type { ClientConnection } from './clientConnection.js';
import type { HostServices, SubscribableResource } from './hostServices.js';
import { SnapshotRoom } from './snapshotRoom.js';

// The answers are computed in the turn in which they are sent (`LateResult`), so that what a snapshot shows and what follows
// it fit exactly, however long it took to load the sessions.

export async function initialize(
  services: HostServices,
  params: InitializeParams,
  connection: ClientConnection,
): Promise<LateResult<InitializeResult>> {
  const protocolVersion = agreeOn(params.protocolVersion);
  connection.identify(params.clientId, protocolVersion, params.clientInfo);
  const opened = await openAll(params.initialSubscriptions ?? [], connection);
  const room = new SnapshotRoom(opened.snapshots.length);
  return new LateResult(() => ({
    protocolVersion,
    serverSeq: services.sequence.current,
    snapshots: opened.snapshots.map((take) => room.take(take)),
    capabilities: capabilitiesOf(protocolVersion),
    serverInfo: services.serverInfo,
    defaultDirectory: services.defaultDirectory,
    role: connection.role,
  }));
}

export async function subscribe(params: SubscribeParams, connection: ClientConnection): Promise<LateResult<Snapshot>> {
  const take = await connection.subscriptions.open(params.resource);
  return new LateResult(() => take({ turns: params.turns ?? DEFAULT_SNAPSHOT_TURNS, bytes: MAX_PAGE_BYTES }));
}

export async function reconnect(
  services: HostServices,
  params: ReconnectParams,
  connection: ClientConnection,
): Promise<LateResult<ReconnectResult | RawResult>> {
  // A client that names no version gets what it agreed on before, or the oldest version: never what it may not know.
  const lastAgreed = services.clients.versionOf(params.clientId) ?? MIN_PROTOCOL_VERSION;
  const protocolVersion = agreeOn(params.protocolVersion ?? lastAgreed);
  connection.identify(params.clientId, protocolVersion, params.clientInfo);
  const wanted = [...new Set(params.subscriptions)];
  const { found, missing } = await findAll(services, wanted);
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
    return { type: 'snapshot', ...base, snapshots };
  });
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

async function findAll(services: HostServices, uris: readonly URI[]) {
  const found = new Map<URI, SubscribableResource>();
  const missing: URI[] = [];
  const looked = await Promise.allSettled(
    uris.map(async (uri) => (uri === ROOT_URI ? services.root : await services.sessions.open(uri))),
  );
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
