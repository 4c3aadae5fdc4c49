import * as z from 'zod';
import { MAX_COMMANDS, MAX_DISPLACED_MESSAGES, MAX_QUEUED_MESSAGES, MAX_TEXT_LENGTH } from '../limits.js';
import { author, contentRef, errorInfo, usageInfo } from './commonSchemas.js';
import { anyRecord, id, label, messageText, sequence, timestamp, title, turnOrigin, uri } from './primitives.js';
import { agentInfo } from './rootStateSchemas.js';
import { fileChangeSummary, sessionCommand, sessionCustomization, sessionMode } from './sessionStateSchemas.js';
import { toolCallResult, toolCallStart } from './toolCallSchemas.js';
import { addedPart, permissionRequest, userMessage } from './turnSchemas.js';

/** The host stamps `at` when it orders the action, and `by`; a client does so for its own prediction. */
const base = { session: uri, at: timestamp };
const by = author.exactOptional();
const turnId = id;

export const pendingMessageKind = z.enum(['steering', 'queued']);

// One entry for each action, with what it carries. Its type in TypeScript, its name (`session/turnStarted` is a
// TurnStartedAction) and its JSON Schema come from here; all that the protocol does with it is its row in `tables/actionTable.ts`.

/** Clients may dispatch these. */
export const CLIENT_ACTIONS = [
  byClient('session/turnStarted', {
    turnId,
    userMessage,
    queuedMessageId: id
      .exactOptional()
      .describe('The pending message that this turn is made of; the reducer takes it out of the pending ones.'),
    origin: turnOrigin
      .exactOptional()
      .describe('The agent began the turn by itself: the message is empty then. Only the host says so.'),
    model: id
      .exactOptional()
      .describe("The session's model at that time, stamped by the host for readers of a part of the log."),
  }),
  byClient('session/toolCallConfirmed', {
    turnId,
    toolCallId: id,
    approved: z.boolean(),
    optionId: id.exactOptional(),
    editedToolInput: z.string().max(MAX_TEXT_LENGTH).exactOptional(),
    reason: messageText.exactOptional(),
  }),
  byClient('session/permissionResolved', {
    turnId,
    requestId: id,
    approved: z.boolean(),
    optionId: id.exactOptional(),
    text: messageText.exactOptional(),
  }),
  byClient('session/turnCancelled', { turnId }),
  byClient('session/titleChanged', { title }),
  byClient('session/modelChanged', { model: id }),
  byClient('session/isReadChanged', { isRead: z.boolean() }),
  byClient('session/isArchivedChanged', { isArchived: z.boolean() }),
  byClient('session/pendingMessageSet', { kind: pendingMessageKind, id, userMessage }),
  byClient('session/pendingMessageRemoved', { kind: pendingMessageKind, id }),
  byClient('session/queuedMessagesReordered', {
    order: z.array(id).max(MAX_QUEUED_MESSAGES + MAX_DISPLACED_MESSAGES),
  }),
  byClient('session/customizationToggled', { uri, enabled: z.boolean() }),
] as const;

/** Only the host dispatches these. */
export const HOST_ACTIONS = [
  byHost('session/ready', {}),
  byHost('session/modeChanged', {
    mode: sessionMode.exactOptional().describe('Absent when the agent no longer has a mode.'),
  }).describe('Since version 2.'),
  byHost('session/creationFailed', { error: errorInfo }),
  byHost('session/delta', { turnId, partId: id, content: z.string() }),
  byHost('session/responsePart', { turnId, part: addedPart }),
  byHost('session/reasoning', { turnId, partId: id, content: z.string() }),
  byHost('session/toolStart', { turnId, toolCall: toolCallStart }),
  byHost('session/toolUpdate', {
    turnId,
    toolCallId: id,
    output: z.string().exactOptional().describe('A chunk, appended to the live output.'),
    ref: contentRef.exactOptional().describe('Where the whole output can be read.'),
    invocationMessage: z.string().exactOptional(),
  }),
  byHost('session/toolComplete', { turnId, toolCallId: id, result: toolCallResult }),
  byHost('session/permissionRequest', { turnId, request: permissionRequest }),
  byHost('session/turnComplete', { turnId }),
  byHost('session/error', { turnId, error: errorInfo }),
  byHost('session/usage', { turnId, usage: usageInfo }),
  byHost('session/activityChanged', { activity: z.string().exactOptional() }),
  byHost('session/changesChanged', { changes: z.array(fileChangeSummary) }),
  byHost('session/clientsChanged', { clients: z.array(author) }),
  byHost('session/metadataChanged', { metadata: anyRecord.describe('Merged by key; `null` removes the key.') }),
  byHost('session/customizationsChanged', {
    customizations: z.array(sessionCustomization),
    commands: z.array(sessionCommand).max(MAX_COMMANDS).exactOptional().describe('Absent if they have not changed.'),
  }),
] as const;

export const ROOT_ACTIONS = [z.object({ type: z.literal('root/agentsChanged'), agents: z.array(agentInfo) })] as const;

function byClient<const T extends string, S extends z.ZodRawShape>(type: T, payload: S) {
  return z.object({ type: z.literal(type), ...base, by, ...payload });
}

function byHost<const T extends string, S extends z.ZodRawShape>(type: T, payload: S) {
  return z.object({ type: z.literal(type), ...base, ...payload });
}

export const rootAction = z.discriminatedUnion('type', ROOT_ACTIONS);
export const clientAction = z
  .discriminatedUnion('type', CLIENT_ACTIONS)
  .describe('The actions that a client may dispatch.');
export const sessionAction = z.discriminatedUnion('type', [...CLIENT_ACTIONS, ...HOST_ACTIONS]);
export const action = z.discriminatedUnion('type', [...sessionAction.options, ...rootAction.options]);

export const actionOrigin = z.object({
  clientId: id,
  clientSeq: sequence,
  name: label
    .exactOptional()
    .describe("The name of the device, as its token has it; absent for the host's own token. Set by the host."),
});

export const rejection = z
  .object({
    code: id.describe('One of `REJECTION`, or one that is newer than this client.'),
    by: author.exactOptional().describe("Who answered first, if another client's answer is the reason."),
    detail: z
      .string()
      .exactOptional()
      .describe('What the code leaves open: the fields that are wrong, or the number to continue above.'),
  })
  .describe('Why the host refused an action.');

export const actionEnvelope = z.object({
  action,
  serverSeq: sequence.describe('One counter for the whole host; it never goes back, not even across a restart.'),
  origin: actionOrigin.exactOptional().describe('Absent when the host itself produced the action.'),
  rejectionReason: z
    .string()
    .exactOptional()
    .describe(
      'Present when the host refused the action; then only its sender gets the envelope, and nothing has changed.',
    ),
  rejection: rejection.exactOptional().describe('The same for programs. Absent if an older host does not say.'),
  repeated: z
    .literal(true)
    .exactOptional()
    .describe(
      'Present when a client sent an action again that was accepted before, under this `serverSeq`. Only its sender gets the envelope, and nothing has changed: every state contains the action already.',
    ),
});
