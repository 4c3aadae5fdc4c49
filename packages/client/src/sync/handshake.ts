import {
  type ActionEnvelope,
  type ClientInfo,
  type Commands,
  ERROR_CODE,
  MIN_PROTOCOL_VERSION,
  PROTOCOL_VERSION,
  ROOT_URI,
  type Role,
  type ServerInfo,
  type SharedSession,
  type Snapshot,
  type URI,
} from '@agenthost/protocol';
import type {
  FailedSubscription,
  InitializeParams,
  InitializeResult,
  UnsupportedProtocolVersionData,
} from '@agenthost/protocol/internal';
import { RpcError, type RpcPeer } from '@agenthost/rpc';
import { UnauthorizedError, UnsupportedVersionError } from '../errors.js';

export interface Introduction {
  readonly clientId: string;
  readonly clientInfo?: ClientInfo | undefined;
  readonly watch?: InitializeParams['watch'] | undefined;
}

/** Where an earlier connection stopped. */
export interface Resumption {
  readonly instanceId: string;
  readonly lastSeenServerSeq: number;
  readonly sessions: readonly { readonly resource: URI; readonly turns?: number | undefined }[];
}

export interface Welcome {
  readonly protocolVersion: number;
  readonly serverInfo: ServerInfo;
  readonly serverSeq: number;
  readonly defaultDirectory?: URI | undefined;
  readonly role?: Role | undefined;
  readonly shared?: SharedSession | undefined;
  /** Undefined unless the host could fill the gap with what was missed. */
  readonly replay: readonly ActionEnvelope[] | undefined;
  readonly snapshots: readonly Snapshot[];
  readonly missing: readonly URI[];
  /** The host has these but could not load them now. */
  readonly failed: readonly FailedSubscription[];
  /** Undefined when the host did not say what it had accepted. */
  readonly acceptedClientSeq: Readonly<Record<URI, number>> | undefined;
  /** The newest that it accepted, one by one; an older host does not say. */
  readonly recentlyAccepted?: Readonly<Record<URI, readonly number[]>>;
}

/** The first connection introduces the client; later ones resume, and introduce it again where the host won't resume. */
export async function shakeHands(peer: RpcPeer, who: Introduction, from: Resumption | undefined): Promise<Welcome> {
  if (from === undefined) return introduce(peer, who);
  try {
    return await resume(peer, who, from);
  } catch (error) {
    // Too busy to answer is no refusal: the next attempt can still resume.
    if (!(error instanceof RpcError) || error.code === ERROR_CODE.tooManyRequests) throw error;
  }
  const welcome = await introduce(peer, who);
  const again = await Promise.all(from.sessions.map((session) => resubscribe(peer, session)));
  return {
    ...welcome,
    snapshots: [...welcome.snapshots, ...again.flatMap(({ snapshot }) => snapshot ?? [])],
    missing: again.flatMap(({ missing }) => missing ?? []),
    failed: again.flatMap(({ failed }) => failed ?? []),
  };
}

async function introduce(peer: RpcPeer, who: Introduction): Promise<Welcome> {
  const result: InitializeResult = await greet(peer, 'initialize', {
    protocolVersion: PROTOCOL_VERSION,
    ...about(who),
    initialSubscriptions: [ROOT_URI],
  });
  return { ...result, replay: undefined, missing: [], failed: [], acceptedClientSeq: undefined };
}

async function resume(peer: RpcPeer, who: Introduction, from: Resumption): Promise<Welcome> {
  const result = await greet(peer, 'reconnect', {
    protocolVersion: PROTOCOL_VERSION,
    ...about(who),
    instanceId: from.instanceId,
    lastSeenServerSeq: from.lastSeenServerSeq,
    subscriptions: [ROOT_URI, ...from.sessions.map(({ resource }) => resource)],
  });
  const { failed = [] } = result;
  return result.type === 'replay'
    ? { ...result, failed, replay: result.actions, snapshots: [] }
    : { ...result, failed, replay: undefined, snapshots: result.snapshots };
}

function about({ clientId, clientInfo, watch }: Introduction): Pick<InitializeParams, keyof Introduction> {
  return { clientId, ...(clientInfo && { clientInfo }), ...(watch && { watch }) };
}

interface Resubscribed {
  readonly snapshot?: Snapshot;
  readonly missing?: URI;
  readonly failed?: FailedSubscription;
}

async function resubscribe(peer: RpcPeer, session: Resumption['sessions'][number]): Promise<Resubscribed> {
  const { resource, turns } = session;
  const params: Commands['subscribe']['params'] = { resource, ...(turns !== undefined && { turns }) };
  try {
    return { snapshot: (await peer.request('subscribe', params)) as Snapshot };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { code, message } = error;
    return code === ERROR_CODE.sessionNotFound
      ? { missing: resource }
      : { failed: { resource, error: { code, message } } };
  }
}

async function greet<M extends 'initialize' | 'reconnect'>(
  peer: RpcPeer,
  method: M,
  params: Commands[M]['params'],
): Promise<Commands[M]['result']> {
  let result: Commands[M]['result'];
  try {
    result = (await peer.request(method, params)) as Commands[M]['result'];
  } catch (error) {
    throw greetingError(error);
  }
  const { protocolVersion } = result;
  if (protocolVersion < MIN_PROTOCOL_VERSION || protocolVersion > PROTOCOL_VERSION) {
    throw new UnsupportedVersionError(PROTOCOL_VERSION, [protocolVersion]);
  }
  return result;
}

function greetingError(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  if (error.code === ERROR_CODE.permissionDenied) return new UnauthorizedError(error.message, { cause: error });
  if (error.code !== ERROR_CODE.unsupportedProtocolVersion) return error;
  const { supportedVersions = [] } = (error.data ?? {}) as Partial<UnsupportedProtocolVersionData>;
  return new UnsupportedVersionError(PROTOCOL_VERSION, supportedVersions, { cause: error });
}
