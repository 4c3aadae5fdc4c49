import * as z from 'zod';
import { ARTIFACT_KINDS } from '../artifacts.js';
import {
  MAX_ARTIFACTS_LIMIT,
  MAX_CONTENT_RANGE,
  MAX_IMPORTED_CONTENTS,
  MAX_IMPORTED_TURNS,
  MAX_LIST_LIMIT,
  MAX_PARTS_LIMIT,
  MAX_SNAPSHOT_TURNS,
  MAX_SUBSCRIPTIONS,
} from '../limits.js';
import { ROLES } from '../roles.js';
import { actionEnvelope, clientAction } from './actionSchemas.js';
import { notification } from './notificationSchemas.js';
import { anyRecord, count, id, label, sequence, timestamp, title, uri } from './primitives.js';
import { rootState } from './rootStateSchemas.js';
import { sessionState, sessionStatus, sessionSummary } from './sessionStateSchemas.js';
import { toolCallState } from './toolCallSchemas.js';
import { responsePart, turn } from './turnSchemas.js';

const yes = z.literal(true).exactOptional();
const version = z.int();
const subscriptions = z.array(uri).max(MAX_SUBSCRIPTIONS);

export const protocolCapabilities = z.object({
  sessions: z.literal(true),
  tools: z.literal(true),
  permissions: z.literal(true),
  reasoning: yes,
  toolUpdates: yes,
  pendingMessages: yes,
  customizations: yes,
  contentReferences: yes,
  fork: yes,
  agentInstallation: yes,
  modes: yes,
  earlierParts: yes,
  failedSubscriptions: yes,
  sessionFs: yes,
  artifacts: yes,
  import: yes,
});

export const role = z.enum(ROLES);
export const roleRefusedData = z.object({ role, needs: role });

export const errorData = z.object({
  code: z.string().exactOptional(),
  whatToDo: z.string().exactOptional(),
});
export const unsupportedProtocolVersionData = z.object({ supportedVersions: z.array(version) });

export const clientInfo = z.object({ name: label, version: label.exactOptional(), device: label.exactOptional() });
export const serverInfo = z.object({
  name: z.string(),
  version: z.string(),
  instanceId: z.string(),
  machine: z.string().exactOptional(),
});

export const snapshot = z.object({
  resource: uri,
  state: z.union([sessionState, rootState]),
  fromSeq: sequence,
  recentlyAccepted: z.array(sequence).exactOptional(),
  incarnation: z.string().exactOptional(),
});

export const failedSubscription = z.object({
  resource: uri,
  error: z.object({ code: z.int(), message: z.string() }),
});
const failed = z.array(failedSubscription).exactOptional();

export const initializeParams = z.object({
  protocolVersion: version,
  clientId: id,
  clientInfo: clientInfo.exactOptional(),
  initialSubscriptions: subscriptions.exactOptional(),
});
export const initializeResult = z.object({
  protocolVersion: version,
  serverSeq: sequence,
  snapshots: z.array(snapshot),
  capabilities: protocolCapabilities,
  serverInfo,
  defaultDirectory: uri.exactOptional(),
  role: role.exactOptional(),
  failed,
});

export const reconnectParams = z.object({
  protocolVersion: version.exactOptional(),
  clientId: id,
  clientInfo: clientInfo.exactOptional(),
  instanceId: id.exactOptional(),
  lastSeenServerSeq: sequence,
  subscriptions,
});
const reconnectBase = {
  protocolVersion: version,
  serverInfo,
  serverSeq: sequence,
  missing: z.array(uri),
  failed,
  acceptedClientSeq: z.record(z.string(), sequence),
  recentlyAccepted: z.record(z.string(), z.array(sequence)).exactOptional(),
  role: role.exactOptional(),
};
export const replayResult = z.object({ type: z.literal('replay'), ...reconnectBase, actions: z.array(actionEnvelope) });
export const snapshotResult = z.object({
  type: z.literal('snapshot'),
  ...reconnectBase,
  snapshots: z.array(snapshot),
});
export const reconnectResult = z.discriminatedUnion('type', [replayResult, snapshotResult]);

export const subscribeParams = z.object({
  resource: uri,
  turns: z.int().min(1).max(MAX_SNAPSHOT_TURNS).exactOptional(),
});
export const unsubscribeParams = z.object({ resource: uri });

const clientSeq = z.int().min(1);
export const dispatchActionParams = z.object({ clientSeq, action: clientAction });
/** Enough of a `dispatchAction` to answer it: an action that is not well-formed is echoed to its sender with the reason. */
export const uncheckedDispatchActionParams = z.object({
  clientSeq,
  action: z.custom<{ readonly type: string; readonly [key: string]: unknown }>(hasType, 'an object with a type'),
});

function hasType(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

export const actionParams = z.object({ envelope: actionEnvelope });
export const notificationParams = z.object({ notification });

export const createSessionParams = z.object({
  session: uri,
  provider: id.exactOptional(),
  model: id.exactOptional(),
  workingDirectory: uri.exactOptional(),
  metadata: anyRecord.exactOptional(),
  config: anyRecord.exactOptional(),
  provisional: z.literal(true).exactOptional(),
});
export const forkSessionParams = z.object({ source: uri, session: uri, toTurnId: id.exactOptional() });
export const importedContent = z.object({
  uri,
  offset: count.exactOptional(),
  data: z.string().max(Math.ceil(MAX_CONTENT_RANGE / 3) * 4),
});
export const importSessionParams = z.object({
  session: uri,
  provider: id.exactOptional(),
  title: title.exactOptional(),
  model: id.exactOptional(),
  workingDirectory: uri.exactOptional(),
  metadata: anyRecord.exactOptional(),
  turns: z.array(turn).max(MAX_IMPORTED_TURNS),
  contents: z.array(importedContent).max(MAX_IMPORTED_CONTENTS).exactOptional(),
  more: yes,
});
export const disposeSessionParams = z.object({ session: uri });

export const listSessionsFilter = z.object({
  provider: id.exactOptional(),
  status: sessionStatus.exactOptional(),
  isArchived: z.boolean().exactOptional(),
  isRead: z.boolean().exactOptional(),
  workspace: uri.exactOptional(),
  text: label.exactOptional(),
  modifiedSince: timestamp.exactOptional(),
});
export const listSessionsParams = z.object({
  filter: listSessionsFilter.exactOptional(),
  limit: z.int().min(1).max(MAX_LIST_LIMIT).exactOptional(),
  cursor: label.exactOptional(),
});
export const listSessionsResult = z.object({
  items: z.array(sessionSummary),
  nextCursor: z.string().exactOptional(),
  total: count,
  snippets: z.record(z.string(), z.string()).exactOptional(),
});

export const turnsRange = z.object({ before: id.exactOptional(), limit: z.int().min(1).max(MAX_SNAPSHOT_TURNS) });
export const fetchTurnsParams = z.object({ session: uri, range: turnsRange });
export const fetchTurnsResult = z.object({ turns: z.array(turn), hasMore: z.boolean() });

export const fetchPartsParams = z.object({
  session: uri,
  turnId: id,
  before: count.exactOptional(),
  limit: z.int().min(1).max(MAX_PARTS_LIMIT),
});
export const fetchPartsResult = z.object({
  parts: z.array(responsePart),
  toolCalls: z.array(toolCallState),
  earlier: count,
});

export const contentRange = z.object({ offset: count, length: z.int().min(1).max(MAX_CONTENT_RANGE) });
export const fetchContentParams = z.object({ uri, range: contentRange.exactOptional() });
export const fetchContentResult = z.object({
  data: z.string(),
  encoding: z.enum(['utf-8', 'base64']),
  mimeType: z.string().exactOptional(),
  size: count,
});

export const artifactKind = z.enum(ARTIFACT_KINDS);
export const listArtifactsParams = z.object({
  session: uri,
  kind: artifactKind.exactOptional(),
  limit: z.int().min(1).max(MAX_ARTIFACTS_LIMIT).exactOptional(),
  cursor: uri.exactOptional(),
});
export const artifact = z.object({
  kind: artifactKind,
  name: z.string(),
  uri,
  size: count,
  modifiedAt: timestamp,
  title: z.string().exactOptional(),
});
export const listArtifactsResult = z.object({
  items: z.array(artifact),
  nextCursor: z.string().exactOptional(),
  isIncomplete: yes,
});

export const browseDirectoryParams = z.object({ uri, provider: id.exactOptional() });
export const directoryEntry = z.object({
  name: z.string(),
  type: z.enum(['file', 'directory', 'symlink']),
  uri,
  branch: z.string().exactOptional(),
});
export const browseDirectoryResult = z.object({
  entries: z.array(directoryEntry),
  untrustedFolder: z.string().exactOptional(),
});

export const agentParams = z.object({ provider: id });
export const pingParams = z.object({});
export const pingResult = z.object({});
export const nothing = z.null();
