import * as z from 'zod';
import { MAX_ATTACHMENT_DATA_LENGTH, MAX_ATTACHMENTS } from '../limits.js';
import { author, contentRef, errorInfo, textRange, usageInfo } from './commonSchemas.js';
import { count, id, label, messageText, timestamp, uri } from './primitives.js';
import { completedToolCall, toolCallState } from './toolCallSchemas.js';

export const attachment = z.object({
  kind: z.enum(['file', 'directory', 'selection', 'image', 'text']),
  label,
  uri: uri.exactOptional(),
  data: z.string().max(MAX_ATTACHMENT_DATA_LENGTH).exactOptional(),
  ref: contentRef.exactOptional(),
  mimeType: label.exactOptional(),
  range: textRange.exactOptional(),
});

export const userMessage = z.object({
  text: messageText,
  textRef: contentRef.exactOptional(),
  attachments: z.array(attachment).max(MAX_ATTACHMENTS).exactOptional(),
});

export const markdownPart = z.object({ kind: z.literal('markdown'), id, content: z.string() });
export const reasoningPart = z.object({
  kind: z.literal('reasoning'),
  id,
  content: z.string(),
  startedAt: timestamp.exactOptional(),
  endedAt: timestamp.exactOptional(),
});
export const contentRefPart = z.object({ kind: z.literal('contentRef'), id, ref: contentRef });
export const toolCallPart = z.object({ kind: z.literal('toolCall'), toolCallId: id, index: count.exactOptional() });
export const steeringPart = z.object({
  kind: z.literal('steering'),
  id,
  userMessage,
  by: author.exactOptional(),
});
export const noticePart = z.object({
  kind: z.literal('notice'),
  id,
  text: z.string(),
  severity: z.enum(['info', 'warning', 'error']),
});
export const addedPart = z.discriminatedUnion('kind', [
  markdownPart,
  reasoningPart,
  contentRefPart,
  steeringPart,
  noticePart,
]);
export const responsePart = z.discriminatedUnion('kind', [...addedPart.options, toolCallPart]);

export const permissionOption = z.object({
  id,
  label: z.string(),
  description: z.string().exactOptional(),
  kind: z.enum(['approve', 'deny']).exactOptional(),
  explicit: z.literal(true).exactOptional(),
});
export const permissionRequest = z.object({
  requestId: id,
  kind: z.enum(['permission', 'question']),
  title: z.string(),
  message: z.string(),
  toolCallId: id.exactOptional(),
  options: z.array(permissionOption).exactOptional(),
  allowText: z.boolean().exactOptional(),
  askedAt: timestamp.exactOptional(),
});

export const answeredPermission = z.object({
  requestId: id,
  kind: z.enum(['permission', 'question']),
  title: z.string(),
  approved: z.boolean(),
  optionId: id.exactOptional(),
  optionLabel: z.string().exactOptional(),
  text: z.string().exactOptional(),
  by: author.exactOptional(),
  at: timestamp,
  afterParts: z.int().min(0),
});
const answeredPermissions = z.array(answeredPermission).exactOptional();

export const turnOrigin = z.literal('agent');

export const activeTurn = z.object({
  id,
  userMessage,
  origin: turnOrigin.exactOptional(),
  by: author.exactOptional(),
  responseParts: z.array(responsePart),
  earlierParts: count.exactOptional(),
  toolCalls: z.record(z.string(), toolCallState),
  pendingPermissions: z.record(z.string(), permissionRequest),
  answeredPermissions,
  usage: usageInfo.exactOptional(),
  model: id.exactOptional(),
  startedAt: timestamp,
});

export const turn = z.object({
  id,
  userMessage,
  origin: turnOrigin.exactOptional(),
  by: author.exactOptional(),
  responseParts: z.array(responsePart),
  earlierParts: count.exactOptional(),
  toolCalls: z.array(completedToolCall),
  answeredPermissions,
  usage: usageInfo.exactOptional(),
  model: id.exactOptional(),
  state: z.enum(['complete', 'cancelled', 'error']),
  error: errorInfo.exactOptional(),
  startedAt: timestamp,
  endedAt: timestamp,
});
