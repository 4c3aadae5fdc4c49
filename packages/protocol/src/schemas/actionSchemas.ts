import * as z from 'zod';
import { MAX_COMMANDS, MAX_DISPLACED_MESSAGES, MAX_QUEUED_MESSAGES, MAX_TEXT_LENGTH } from '../limits.js';
import { author, contentRef, errorInfo, usageInfo } from './commonSchemas.js';
import { anyRecord, id, label, messageText, sequence, timestamp, title, uri } from './primitives.js';
import { agentInfo } from './rootStateSchemas.js';
import { fileChangeSummary, sessionCommand, sessionCustomization, sessionMode } from './sessionStateSchemas.js';
import { toolCallResult, toolCallStart } from './toolCallSchemas.js';
import { addedPart, permissionRequest, turnOrigin, userMessage } from './turnSchemas.js';

const base = { session: uri, at: timestamp };
const byClient = { ...base, by: author.exactOptional() };
const ofTurn = { ...base, turnId: id };
const ofTurnByClient = { ...byClient, turnId: id };

export const agentsChangedAction = z.object({ type: z.literal('root/agentsChanged'), agents: z.array(agentInfo) });
export const rootAction = z.discriminatedUnion('type', [agentsChangedAction]);

export const readyAction = z.object({ type: z.literal('session/ready'), ...base });
export const creationFailedAction = z.object({ type: z.literal('session/creationFailed'), ...base, error: errorInfo });
export const turnStartedAction = z.object({
  type: z.literal('session/turnStarted'),
  ...ofTurnByClient,
  userMessage,
  queuedMessageId: id.exactOptional(),
  origin: turnOrigin.exactOptional(),
  model: id.exactOptional(),
});
export const deltaAction = z.object({
  type: z.literal('session/delta'),
  ...ofTurn,
  partId: id,
  content: z.string(),
});
export const responsePartAction = z.object({ type: z.literal('session/responsePart'), ...ofTurn, part: addedPart });
export const reasoningAction = z.object({
  type: z.literal('session/reasoning'),
  ...ofTurn,
  partId: id,
  content: z.string(),
});
export const toolStartAction = z.object({ type: z.literal('session/toolStart'), ...ofTurn, toolCall: toolCallStart });
export const toolUpdateAction = z.object({
  type: z.literal('session/toolUpdate'),
  ...ofTurn,
  toolCallId: id,
  output: z.string().exactOptional(),
  ref: contentRef.exactOptional(),
  invocationMessage: z.string().exactOptional(),
});
export const toolCallConfirmedAction = z.object({
  type: z.literal('session/toolCallConfirmed'),
  ...ofTurnByClient,
  toolCallId: id,
  approved: z.boolean(),
  optionId: id.exactOptional(),
  editedToolInput: z.string().max(MAX_TEXT_LENGTH).exactOptional(),
  reason: messageText.exactOptional(),
});
export const toolCompleteAction = z.object({
  type: z.literal('session/toolComplete'),
  ...ofTurn,
  toolCallId: id,
  result: toolCallResult,
});
export const permissionRequestAction = z.object({
  type: z.literal('session/permissionRequest'),
  ...ofTurn,
  request: permissionRequest,
});
export const permissionResolvedAction = z.object({
  type: z.literal('session/permissionResolved'),
  ...ofTurnByClient,
  requestId: id,
  approved: z.boolean(),
  optionId: id.exactOptional(),
  text: messageText.exactOptional(),
});
export const turnCompleteAction = z.object({ type: z.literal('session/turnComplete'), ...ofTurn });
export const turnCancelledAction = z.object({ type: z.literal('session/turnCancelled'), ...ofTurnByClient });
export const errorAction = z.object({ type: z.literal('session/error'), ...ofTurn, error: errorInfo });
export const titleChangedAction = z.object({ type: z.literal('session/titleChanged'), ...byClient, title });
export const usageAction = z.object({ type: z.literal('session/usage'), ...ofTurn, usage: usageInfo });
export const modelChangedAction = z.object({ type: z.literal('session/modelChanged'), ...byClient, model: id });
export const modeChangedAction = z.object({
  type: z.literal('session/modeChanged'),
  ...base,
  mode: sessionMode.exactOptional(),
});
export const isReadChangedAction = z.object({
  type: z.literal('session/isReadChanged'),
  ...byClient,
  isRead: z.boolean(),
});
export const isArchivedChangedAction = z.object({
  type: z.literal('session/isArchivedChanged'),
  ...byClient,
  isArchived: z.boolean(),
});
export const activityChangedAction = z.object({
  type: z.literal('session/activityChanged'),
  ...base,
  activity: z.string().exactOptional(),
});
export const changesChangedAction = z.object({
  type: z.literal('session/changesChanged'),
  ...base,
  changes: z.array(fileChangeSummary),
});
export const clientsChangedAction = z.object({
  type: z.literal('session/clientsChanged'),
  ...base,
  clients: z.array(author),
});
export const metadataChangedAction = z.object({
  type: z.literal('session/metadataChanged'),
  ...base,
  metadata: anyRecord,
});
export const pendingMessageKind = z.enum(['steering', 'queued']);
export const pendingMessageSetAction = z.object({
  type: z.literal('session/pendingMessageSet'),
  ...byClient,
  kind: pendingMessageKind,
  id,
  userMessage,
});
export const pendingMessageRemovedAction = z.object({
  type: z.literal('session/pendingMessageRemoved'),
  ...byClient,
  kind: pendingMessageKind,
  id,
});
export const queuedMessagesReorderedAction = z.object({
  type: z.literal('session/queuedMessagesReordered'),
  ...byClient,
  order: z.array(id).max(MAX_QUEUED_MESSAGES + MAX_DISPLACED_MESSAGES),
});
export const customizationsChangedAction = z.object({
  type: z.literal('session/customizationsChanged'),
  ...base,
  customizations: z.array(sessionCustomization),
  commands: z.array(sessionCommand).max(MAX_COMMANDS).exactOptional(),
});
export const customizationToggledAction = z.object({
  type: z.literal('session/customizationToggled'),
  ...byClient,
  uri,
  enabled: z.boolean(),
});

export const clientAction = z.discriminatedUnion('type', [
  turnStartedAction,
  toolCallConfirmedAction,
  permissionResolvedAction,
  turnCancelledAction,
  titleChangedAction,
  modelChangedAction,
  isReadChangedAction,
  isArchivedChangedAction,
  pendingMessageSetAction,
  pendingMessageRemovedAction,
  queuedMessagesReorderedAction,
  customizationToggledAction,
]);

export const sessionAction = z.discriminatedUnion('type', [
  ...clientAction.options,
  readyAction,
  modeChangedAction,
  creationFailedAction,
  deltaAction,
  responsePartAction,
  reasoningAction,
  toolStartAction,
  toolUpdateAction,
  toolCompleteAction,
  permissionRequestAction,
  turnCompleteAction,
  errorAction,
  usageAction,
  activityChangedAction,
  changesChangedAction,
  clientsChangedAction,
  metadataChangedAction,
  customizationsChangedAction,
]);

export const action = z.discriminatedUnion('type', [...sessionAction.options, agentsChangedAction]);

export const actionOrigin = z.object({ clientId: id, clientSeq: sequence, name: label.exactOptional() });

export const rejection = z.object({ code: id, by: author.exactOptional(), detail: z.string().exactOptional() });

export const actionEnvelope = z.object({
  action,
  serverSeq: sequence,
  origin: actionOrigin.exactOptional(),
  rejectionReason: z.string().exactOptional(),
  rejection: rejection.exactOptional(),
  repeated: z.literal(true).exactOptional(),
});
