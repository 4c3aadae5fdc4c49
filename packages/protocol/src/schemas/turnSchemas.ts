import * as z from 'zod';
import { MAX_ATTACHMENT_DATA_LENGTH, MAX_ATTACHMENTS } from '../limits.js';
import { author, contentRef, errorInfo, textRange, usageInfo } from './commonSchemas.js';
import { form } from './formSchemas.js';
import { count, id, label, messageText, timestamp, turnOrigin, uri } from './primitives.js';
import { completedToolCall, covers, toolCallState } from './toolCallSchemas.js';

export const attachment = z.object({
  kind: z.enum(['file', 'directory', 'selection', 'image', 'text']),
  label,
  uri: uri.exactOptional(),
  data: z
    .string()
    .max(MAX_ATTACHMENT_DATA_LENGTH)
    .exactOptional()
    .describe('Base64 for an image, the text itself for a selection or a text.'),
  ref: contentRef
    .exactOptional()
    .describe('In place of `data` that is too large for the state: the text, or the decoded bytes of an image.'),
  mimeType: label.exactOptional(),
  range: textRange.exactOptional(),
});

export const userMessage = z.object({
  text: messageText.describe('With `textRef`, only its head and its tail.'),
  textRef: contentRef.exactOptional().describe('The whole text, where it is too long for the state.'),
  attachments: z.array(attachment).max(MAX_ATTACHMENTS).exactOptional(),
});

export const markdownPart = z.object({ kind: z.literal('markdown'), id, content: z.string() });
export const reasoningPart = z.object({
  kind: z.literal('reasoning'),
  id,
  content: z.string(),
  startedAt: timestamp.exactOptional(),
  endedAt: timestamp.exactOptional().describe('When something else followed it, or its turn ended.'),
});
export const contentRefPart = z.object({ kind: z.literal('contentRef'), id, ref: contentRef });
export const toolCallPart = z
  .object({
    kind: z.literal('toolCall'),
    toolCallId: id,
    index: count
      .exactOptional()
      .describe('Its place among all parts of the turn, where parts between it and the next one are not in the state.'),
  })
  .describe('Keeps the order of text and tools; the call itself is in `toolCalls`. Only `session/toolStart` adds one.');
export const steeringPart = z
  .object({ kind: z.literal('steering'), id, userMessage, by: author.exactOptional() })
  .describe('A steering message, at the place where the agent took it in.');
export const noticePart = z
  .object({ kind: z.literal('notice'), id, text: z.string(), severity: z.enum(['info', 'warning', 'error']) })
  .describe('Something that the host says, e.g. "the host restarted during this turn".');
export const addedPart = z
  .discriminatedUnion('kind', [markdownPart, reasoningPart, contentRefPart, steeringPart, noticePart])
  .describe('The parts that `session/responsePart` can add.');
export const responsePart = z.discriminatedUnion('kind', [...addedPart.options, toolCallPart]);

export const permissionOption = z.object({
  id,
  label: z.string(),
  description: z.string().exactOptional(),
  kind: z.enum(['approve', 'deny']).exactOptional(),
  explicit: z.literal(true).exactOptional().describe('Only chosen by its id, as in `ConfirmationOption`.'),
  covers,
});
export const permissionRequest = z
  .object({
    requestId: id,
    kind: z.enum(['permission', 'question']),
    title: z.string(),
    message: z.string(),
    toolCallId: id.exactOptional(),
    options: z.array(permissionOption).exactOptional(),
    allowText: z.boolean().exactOptional(),
    askedAt: timestamp.exactOptional(),
    form: form
      .exactOptional()
      .describe(
        'What is asked, field by field. `options` and `allowText` are then for clients that show no forms. Since version 2.',
      ),
  })
  .describe('A question that is not the confirmation of one announced tool call.');

export const answeredPermission = z
  .object({
    requestId: id,
    kind: z.enum(['permission', 'question']),
    title: z.string(),
    approved: z.boolean(),
    optionId: id.exactOptional(),
    optionLabel: z.string().exactOptional().describe('The label of the chosen option.'),
    text: z
      .string()
      .exactOptional()
      .describe(
        'The beginning of a written answer, or of the values of a form: at most `MAX_ANSWER_KEPT` code units, as of the title.',
      ),
    form: z
      .enum(['answered', 'skipped', 'declined'])
      .exactOptional()
      .describe('What became of a form. Skipped: the agent decides. Since version 2.'),
    by: author.exactOptional(),
    at: timestamp,
    afterParts: z
      .int()
      .min(0)
      .describe('How many parts the turn had then, including dropped ones: the place of the answer among them.'),
  })
  .describe('What is kept of a permission request after it was answered.');

const answeredPermissions = z
  .array(answeredPermission)
  .exactOptional()
  .describe('In the order of the answers; the newest `MAX_ANSWERED_PERMISSIONS`.');
const message = userMessage.describe('Empty if the agent began the turn.');
const origin = turnOrigin
  .exactOptional()
  .describe('The agent began the turn by itself, between two turns of the user.');
const earlierParts = count
  .exactOptional()
  .describe('How many parts are no longer in `responseParts`; `fetchParts` returns them.');
const model = id.exactOptional().describe("The session's model when the turn began.");

export const activeTurn = z.object({
  id,
  userMessage: message,
  origin,
  by: author.exactOptional(),
  responseParts: z.array(responsePart),
  earlierParts,
  toolCalls: z.record(z.string(), toolCallState),
  pendingPermissions: z.record(z.string(), permissionRequest),
  answeredPermissions,
  usage: usageInfo.exactOptional(),
  model,
  startedAt: timestamp,
});

export const turn = z.object({
  id,
  userMessage: message,
  origin,
  by: author.exactOptional(),
  responseParts: z.array(responsePart),
  earlierParts,
  toolCalls: z.array(completedToolCall),
  answeredPermissions,
  usage: usageInfo.exactOptional(),
  model,
  state: z.enum(['complete', 'cancelled', 'error']),
  error: errorInfo.exactOptional(),
  holdsQueue: z
    .literal(true)
    .exactOptional()
    .describe('Pending messages wait after this turn until a client starts one or sends another. Since version 2.'),
  startedAt: timestamp,
  endedAt: timestamp,
});
