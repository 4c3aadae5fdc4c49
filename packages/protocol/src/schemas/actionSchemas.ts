import * as z from 'zod';
import {
  MAX_APPROVALS,
  MAX_COMMANDS,
  MAX_COMMENTS,
  MAX_DISPLACED_MESSAGES,
  MAX_QUEUED_MESSAGES,
  MAX_SESSION_TOOLS,
  MAX_SETTINGS,
  MAX_TEXT_LENGTH,
  MAX_TYPED_LENGTH,
} from '../limits.js';
import { author, contentRef, errorInfo, usageInfo } from './commonSchemas.js';
import { formSecrets, formValues } from './formSchemas.js';
import {
  anyRecord,
  id,
  label,
  messageText,
  sequence,
  timestamp,
  title,
  toolInputKind,
  turnOrigin,
  uri,
} from './primitives.js';
import { newComment } from './reviewSchemas.js';
import { agentInfo } from './rootStateSchemas.js';
import {
  fileChangeSummary,
  offeredTools,
  sessionCommand,
  sessionCustomization,
  sessionMode,
  sessionSetting,
  standingApproval,
} from './sessionStateSchemas.js';
import { testRun } from './severalSchemas.js';
import { toolCallResult, toolCallStart } from './toolCallSchemas.js';
import { addedPart, permissionRequest, userMessage } from './turnSchemas.js';
import { changesState } from './workSchemas.js';

/** The host stamps `at` when it orders the action, and `by`; a client does so for its own prediction. */
const base = { session: uri, at: timestamp };
const by = author.exactOptional();
const turnId = id;
const comments = z
  .array(id)
  .min(1)
  .max(MAX_COMMENTS)
  .exactOptional()
  .describe(
    'The review comments that the message is made of: they are sent with it, or it is refused. Since version 2.',
  );

export const pendingMessageKind = z.enum(['steering', 'queued']);

// One entry for each action: its effect in a sentence, and what it carries. Its type (`session/turnStarted` is a
// TurnStartedAction), its JSON Schema and its row in docs/protocol.md come from here. What the protocol does with it is its row
// in `tables/actionTable.ts`.

/** Clients may dispatch these. */
export const CLIENT_ACTIONS = [
  byClient(
    'session/turnStarted',
    "Starts the agent. `origin: 'agent'`, only from the host, means that the agent began the turn.",
    {
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
      comments,
    },
  ),
  byClient('session/toolCallConfirmed', 'Unblocks or cancels the call.', {
    turnId,
    toolCallId: id,
    approved: z.boolean(),
    optionId: id.exactOptional(),
    editedToolInput: z.string().max(MAX_TEXT_LENGTH).exactOptional(),
    reason: messageText.exactOptional(),
  }),
  byClient(
    'session/permissionResolved',
    'Unblocks the agent. Of a form: its `values`, or `approved` without them to skip it.',
    {
      turnId,
      requestId: id,
      approved: z.boolean(),
      optionId: id.exactOptional(),
      text: messageText.exactOptional(),
      values: formValues.exactOptional().describe('The answers to a form. Since version 2.'),
      secrets: formSecrets
        .exactOptional()
        .describe(
          'The answers to fields of kind `secret`. Only the agent gets them: the host passes the action on with empty texts. Since version 2.',
        ),
    },
  ),
  byClient(
    'session/turnCancelled',
    'Ends the turn, aborts the agent. With `holdQueue` pending messages wait until a client starts one or sends another.',
    {
      turnId,
      holdQueue: z
        .literal(true)
        .exactOptional()
        .describe('Pending messages are not started because this turn has ended. Since version 2.'),
    },
  ),
  byClient(
    'session/titleChanged',
    "An agent's title never replaces a client's (`titleByUser`); an empty title allows it again.",
    { title },
  ),
  byClient('session/modelChanged', 'Used from the next turn on.', { model: id }),
  byClient('session/isReadChanged', 'Marks the session as read or unread.', { isRead: z.boolean() }),
  byClient('session/isArchivedChanged', 'Archives the session, or brings it back.', { isArchived: z.boolean() }),
  byClient('session/pendingMessageSet', 'Queues or steers; queued while idle starts a turn at once.', {
    kind: pendingMessageKind,
    id,
    userMessage,
    comments,
  }),
  byClient('session/pendingMessageRemoved', 'Removes a pending message.', { kind: pendingMessageKind, id }),
  byClient('session/queuedMessagesReordered', 'Reorders the queue.', {
    order: z.array(id).max(MAX_QUEUED_MESSAGES + MAX_DISPLACED_MESSAGES),
  }),
  byClient('session/customizationToggled', 'Takes effect from the next turn on.', { uri, enabled: z.boolean() }),
  byClient(
    'session/settingChosen',
    'Chooses a value of a setting; the agent is told at once. If it refuses, `settingsChanged` takes it back. Since version 2.',
    { setting: id, value: id },
  ),
  byClient(
    'session/toolInput',
    'Gives input to a running call with `takesInput`. The host passes `text` on and removes it. Since version 2.',
    {
      turnId,
      toolCallId: id,
      kind: toolInputKind.describe(
        '`line`: the text and the end of a line. `endOfInput`: Ctrl+D. `interrupt`: Ctrl+C, for what runs in the foreground.',
      ),
      text: z
        .string()
        .max(MAX_TYPED_LENGTH)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would act on them
        .regex(/^[^\u0000-\u0008\u000b-\u001f\u007f]*$/, 'input has no control characters but tab and line feed')
        .exactOptional()
        .describe(
          'Of a `line`, without its end; it may have several lines. Only on the way to the host: neither the log, nor the echo, nor other clients get it.',
        ),
    },
  ),
  byClient('session/approvalRevoked', 'The agent asks again. Only for one with `isRevocable`. Since version 2.', {
    approvalId: id,
  }),
  byClient(
    'session/commentSet',
    'Adds a review comment. Its author may change it so until it is sent. Since version 2.',
    { comment: newComment },
  ),
  byClient('session/commentRemoved', 'Removes a review comment: by its author, or by a driver. Since version 2.', {
    commentId: id,
  }),
  byClient('session/commentResolved', 'Marks a review comment as dealt with, or as open again. Since version 2.', {
    commentId: id,
    resolved: z.boolean(),
  }),
  byClient(
    'session/pickChanged',
    'Says which of several sessions with one prompt is landed; the first of two wins. Since version 2.',
    { picked: uri.exactOptional().describe('Absent to take it back.') },
  ),
] as const;

/** Only the host dispatches these. */
export const HOST_ACTIONS = [
  byHost('session/ready', 'Creation succeeded.', {}),
  byHost('session/modeChanged', "The agent's mode. Since version 2.", {
    mode: sessionMode.exactOptional().describe('Absent when the agent no longer has a mode.'),
  }),
  byHost(
    'session/creationFailed',
    'Creation failed. Pending messages become turns that ended with its error; the session accepts no more.',
    { error: errorInfo },
  ),
  byHost('session/delta', 'Appends to a `markdown` part.', { turnId, partId: id, content: z.string() }),
  byHost('session/responsePart', 'Appends a part.', { turnId, part: addedPart }),
  byHost('session/reasoning', 'Appends to a `reasoning` part.', { turnId, partId: id, content: z.string() }),
  byHost('session/toolStart', 'Announces a call, running or waiting for confirmation.', {
    turnId,
    toolCall: toolCallStart,
  }),
  byHost('session/toolUpdate', 'Appends live output, changes the message.', {
    turnId,
    toolCallId: id,
    output: z.string().exactOptional().describe('A chunk, appended to the live output.'),
    ref: contentRef.exactOptional().describe('Where the whole output can be read.'),
    invocationMessage: z.string().exactOptional(),
    clientName: label.exactOptional().describe('Whose tool it is. Since version 2.'),
  }),
  byHost('session/toolComplete', 'Ends a call.', { turnId, toolCallId: id, result: toolCallResult }),
  byHost('session/permissionRequest', 'Asks something that is not the confirmation of one call.', {
    turnId,
    request: permissionRequest,
  }),
  byHost('session/turnComplete', 'Ends the turn; the next queued message starts.', { turnId }),
  byHost(
    'session/truncated',
    'Removes the newest turns, so that the conversation goes on from before. Since version 2.',
    {
      turns: sequence.describe('How many turns remain, counted from the first of the session.'),
    },
  ),
  byHost('session/error', 'Ends the turn with an error.', { turnId, error: errorInfo }),
  byHost(
    'session/usage',
    'Tokens and cost of the turn so far; `contextUsed` and `contextSize` where the agent reports them.',
    { turnId, usage: usageInfo },
  ),
  byHost('session/activityChanged', 'What the agent does right now.', { activity: z.string().exactOptional() }),
  byHost('session/changesChanged', 'Files changed in this session.', { changes: z.array(fileChangeSummary) }),
  byHost('session/clientsChanged', 'Which clients look at the session; not logged.', { clients: z.array(author) }),
  byHost('session/approvalsChanged', 'What the agent does without asking; not logged. Since version 2.', {
    approvals: z.array(standingApproval).max(MAX_APPROVALS),
  }),
  byHost(
    'session/clientToolsChanged',
    'Which clients carry out which tools for the agent; not logged. Since version 2.',
    {
      clientTools: z.array(offeredTools).max(MAX_SESSION_TOOLS),
    },
  ),
  byHost('session/metadataChanged', 'Merged by key, `null` removes.', {
    metadata: anyRecord.describe('Merged by key; `null` removes the key.'),
  }),
  byHost('session/customizationsChanged', 'Replaces the list, and the commands if present.', {
    customizations: z.array(sessionCustomization),
    commands: z.array(sessionCommand).max(MAX_COMMANDS).exactOptional().describe('Absent if they have not changed.'),
  }),
  byHost('session/testsChanged', 'A run of the tests begins, goes on, or has ended. Since version 2.', {
    tests: testRun,
  }),
  byHost('session/settingsChanged', 'Replaces the settings, as the agent reports them. Since version 2.', {
    settings: z.array(sessionSetting).max(MAX_SETTINGS),
  }),
] as const;

export const ROOT_ACTIONS = [
  z.object({ type: z.literal('root/agentsChanged'), agents: z.array(agentInfo) }).describe('Replaces the agents.'),
] as const;

export const CHANGES_ACTIONS = [
  z
    .object({ type: z.literal('changes/changed'), resource: uri, state: changesState })
    .describe('Replaces the state of the changes of a session. Since version 2.'),
] as const;

function byClient<const T extends string, S extends z.ZodRawShape>(type: T, effect: string, payload: S) {
  return z.object({ type: z.literal(type), ...base, by, ...payload }).describe(effect);
}

function byHost<const T extends string, S extends z.ZodRawShape>(type: T, effect: string, payload: S) {
  return z.object({ type: z.literal(type), ...base, ...payload }).describe(effect);
}

export const rootAction = z.discriminatedUnion('type', ROOT_ACTIONS);
export const changesAction = z.discriminatedUnion('type', CHANGES_ACTIONS);
export const clientAction = z
  .discriminatedUnion('type', CLIENT_ACTIONS)
  .describe('The actions that a client may dispatch.');
export const sessionAction = z.discriminatedUnion('type', [...CLIENT_ACTIONS, ...HOST_ACTIONS]);
export const action = z.discriminatedUnion('type', [
  ...sessionAction.options,
  ...rootAction.options,
  ...changesAction.options,
]);

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
    field: id.exactOptional().describe('The field of a form whose value does not fit. Since version 2.'),
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
