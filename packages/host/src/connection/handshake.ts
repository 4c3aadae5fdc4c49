import {
  type Action,
  capabilitiesOf,
  DEFAULT_SNAPSHOT_TURNS,
  ERROR_CODE,
  MIN_PROTOCOL_VERSION,
  ROOT_URI,
  type Snapshot,
  type URI,
} from '@agenthost/protocol';
import {
  type InitializeParams,
  type InitializeResult,
  isActionKnownToVersion,
  MAX_PAGE_BYTES,
  MAX_RESYNC_BYTES,
  negotiateVersion,
  type ReconnectParams,
  type SnapshotResult,
  type SubscribeParams,
  supportedVersions,
} from '@agenthost/protocol/internal';
import { LateResult, type RawResult, RpcError, rawResult } from '@agenthost/rpc';
import { jsonBytes, type TurnsRoom } from '../sessions/stateBytes.js';
import { acceptedKey } from '../sessions/turn/acceptedSequences.js';
import { originOf } from '../state/publisher.js';
import type { AnswerPace } from './answerPace.js';
import type { ClientConnection } from './clientConnection.js';
import type { HostServices } from './hostServices.js';
import { type LookedUp, lookUp } from './lookUp.js';
import { snapshotJson } from './snapshotJson.js';

// The answers are computed in the turn in which they are sent (`LateResult`), so that a snapshot and the envelopes after it fit
// exactly, no matter how long it took to load the sessions.

export interface HandshakeContext {
  readonly services: HostServices;
  /** Snapshots are large. */
  readonly pace: AnswerPace;
}

export async function initialize(
  { services, pace }: HandshakeContext,
  params: InitializeParams,
  connection: ClientConnection,
): Promise<LateResult<RawResult>> {
  const protocolVersion = agreeOn(params.protocolVersion);
  connection.identify(params, protocolVersion);
  const open = (uri: URI) => connection.subscriptions.open(uri);
  const { found, failed } = await lookUpAll(services, connection, params.initialSubscriptions ?? [], open);
  await pace.turn(bytesOf(connection, found.keys()));
  return new LateResult(() => {
    const room = new SnapshotRoom(found.size);
    // A removed session has no snapshot. The client sees that it is missing and still gets the others.
    const snapshots = [...found.values()].map((take) => room.take(take));
    const result: Omit<InitializeResult, 'snapshots'> = {
      protocolVersion,
      serverSeq: services.sequence.current,
      ...(failed.length > 0 && { failed }),
      capabilities: capabilitiesOf(protocolVersion),
      ...about(services, connection, protocolVersion),
      ...(!connection.shared && { defaultDirectory: services.defaultDirectory }),
    };
    return withSnapshots(result, snapshots);
  });
}

export async function subscribe(
  { pace }: Pick<HandshakeContext, 'pace'>,
  params: SubscribeParams,
  connection: ClientConnection,
): Promise<LateResult<RawResult>> {
  const take = await connection.subscriptions.open(params.resource);
  await pace.turn(bytesOf(connection, [params.resource]));
  const room = { turns: params.turns ?? DEFAULT_SNAPSHOT_TURNS, bytes: MAX_PAGE_BYTES };
  return new LateResult(() => rawResult(snapshotJson(take(room))));
}

export async function reconnect(
  { services, pace }: HandshakeContext,
  params: ReconnectParams,
  connection: ClientConnection,
): Promise<LateResult<RawResult>> {
  // A client that names no version gets the one that it agreed on before, or the oldest.
  const lastAgreed = services.clients.versionOf(params.clientId) ?? MIN_PROTOCOL_VERSION;
  const protocolVersion = agreeOn(params.protocolVersion ?? lastAgreed);
  connection.identify(params, protocolVersion);
  const { subscriptions: wanted } = params;
  const find = (uri: URI) => connection.subscriptions.find(uri);
  const { found, missing, failed } = await lookUpAll(services, connection, wanted, find);
  await pace.turn(bytesOf(connection, found.keys()));
  return new LateResult(() => {
    const recentlyAccepted = connection.sessions.acceptedFrom(acceptedKey(originOf(connection, 0)), wanted);
    const base = {
      protocolVersion,
      serverSeq: services.sequence.current,
      missing,
      ...(failed.length > 0 && { failed }),
      acceptedClientSeq: mapValues(recentlyAccepted, (recent) => recent.at(-1) ?? 0),
      recentlyAccepted,
      ...about(services, connection, protocolVersion),
    };
    // What is missed of the root is not for a link, which gets another root.
    const followed = [...found.keys()].filter((uri) => !connection.shared || uri !== ROOT_URI);
    const replay = missedEnvelopes(services, params, followed, protocolVersion);
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

/** Who answers, and what the client may see. A link tells nothing of the machine and of other hosts. */
function about(
  { serverInfo }: HostServices,
  { role, shared }: ClientConnection,
  protocolVersion: number,
): Pick<InitializeResult, 'serverInfo' | 'role' | 'shared'> {
  if (!shared) return { serverInfo, role };
  const { name, version, instanceId } = serverInfo;
  return { serverInfo: { name, version, instanceId }, role, ...(protocolVersion >= 2 && { shared }) };
}

function withSnapshots(result: object, snapshots: readonly Snapshot[]): RawResult {
  return rawResult(`${JSON.stringify(result).slice(0, -1)},"snapshots":[${snapshots.map(snapshotJson).join(',')}]}`);
}

/** The approximate size of their snapshots. */
function bytesOf({ sessions }: ClientConnection, uris: Iterable<URI>): number {
  let sum = 0;
  for (const uri of uris) sum += Math.min(sessions.loaded(uri)?.bytes ?? 0, MAX_PAGE_BYTES);
  return Math.min(sum, MAX_RESYNC_BYTES);
}

function agreeOn(theirs: number): number {
  const version = negotiateVersion(theirs);
  if (version !== undefined) return version;
  throw new RpcError(ERROR_CODE.unsupportedProtocolVersion, `protocol version ${theirs} is not supported`, {
    data: { supportedVersions: supportedVersions() },
  });
}

/**
 * The envelopes as JSON, or `undefined` when the client has to take snapshots. Without an `instanceId` only the numbers decide: on
 * one host they never decrease, and those of an earlier run are below all numbers in the buffer.
 */
function missedEnvelopes(
  services: HostServices,
  params: ReconnectParams,
  followed: readonly URI[],
  protocolVersion: number,
): string[] | undefined {
  const { instanceId = services.serverInfo.instanceId, lastSeenServerSeq } = params;
  if (instanceId !== services.serverInfo.instanceId || lastSeenServerSeq > services.sequence.current) return undefined;
  return services.replay
    .since(lastSeenServerSeq, new Set(followed), MAX_RESYNC_BYTES)
    ?.filter(({ actionType }) => isActionKnownToVersion({ type: actionType as Action['type'] }, protocolVersion))
    .map(({ json }) => json);
}

async function lookUpAll<T>(
  services: HostServices,
  connection: ClientConnection,
  uris: readonly URI[],
  open: (uri: URI) => Promise<T>,
): Promise<LookedUp<T>> {
  const { loadFailures: failures, log } = services;
  try {
    const { protocolVersion } = connection;
    const isWanted = () => connection.isOpen;
    return await lookUp([...new Set(uris)], open, { failures, protocolVersion, isWanted, log });
  } catch (error) {
    connection.unidentify();
    throw error;
  }
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

/** The bytes for the snapshots of one answer. Bytes that a small snapshot leaves are for those after it. */
class SnapshotRoom {
  #bytes = MAX_RESYNC_BYTES;
  #left: number;

  constructor(snapshots: number) {
    this.#left = snapshots;
  }

  take(subscribe: (room: TurnsRoom) => Snapshot): Snapshot {
    const bytes = Math.min(MAX_PAGE_BYTES, this.#bytes / Math.max(this.#left, 1));
    const snapshot = subscribe({ turns: DEFAULT_SNAPSHOT_TURNS, bytes });
    this.#left -= 1;
    this.#bytes = Math.max(this.#bytes - turnBytesOf(snapshot), 0);
    return snapshot;
  }
}

function turnBytesOf({ state }: Snapshot): number {
  if (!('turns' in state)) return 0;
  const { turns, activeTurn } = state;
  return turns.reduce((sum, turn) => sum + jsonBytes(turn), activeTurn ? jsonBytes(activeTurn) : 0);
}
