import * as z from 'zod';
import { author, contentRef } from './commonSchemas.js';
import { count, id, timestamp, uri } from './primitives.js';

const answerKind = z.enum(['approve', 'deny']);

export const confirmationOption = z.object({
  id,
  label: z.string(),
  kind: answerKind,
  explicit: z.literal(true).exactOptional(),
});

export const toolConfirmation = z.object({
  title: z.string().exactOptional(),
  options: z.array(confirmationOption).exactOptional(),
  editable: z.boolean().exactOptional(),
  readOnly: z.literal(true).exactOptional(),
});

export const toolConfirmed = z.object({
  how: z.enum(['user', 'policy', 'notNeeded']),
  by: author.exactOptional(),
  optionId: id.exactOptional(),
  at: timestamp.exactOptional(),
});

export const toolOutput = z.object({
  text: z.string(),
  truncated: z.boolean().exactOptional(),
  omitted: count.exactOptional(),
  ref: contentRef.exactOptional(),
});

export const toolError = z.object({ message: z.string(), code: z.string().exactOptional() });

export const textResultContent = z.object({ type: z.literal('text'), text: z.string() });
export const refResultContent = z.object({ type: z.literal('contentRef'), ref: contentRef });
export const fileEditResultContent = z.object({
  type: z.literal('fileEdit'),
  uri,
  insertions: count,
  deletions: count,
  diff: z.string().exactOptional(),
  before: contentRef.exactOptional(),
  after: contentRef.exactOptional(),
});
export const toolResultContent = z.discriminatedUnion('type', [
  textResultContent,
  refResultContent,
  fileEditResultContent,
]);

export const toolCallResult = z.object({
  success: z.boolean(),
  pastTenseMessage: z.string(),
  toolOutput: z.string().exactOptional(),
  content: z.array(toolResultContent).exactOptional(),
  exitCode: z.number().exactOptional(),
  error: toolError.exactOptional(),
});

const base = {
  toolCallId: id,
  toolName: z.string(),
  displayName: z.string(),
  invocationMessage: z.string(),
  toolKind: z.literal('terminal').exactOptional(),
  language: z.string().exactOptional(),
  toolInput: z.string().exactOptional(),
  toolInputRef: contentRef.exactOptional(),
};

export const pendingToolCallStart = z.object({
  ...base,
  status: z.literal('pendingConfirmation'),
  confirmation: toolConfirmation,
});
export const runningToolCallStart = z.object({ ...base, status: z.literal('running'), confirmed: toolConfirmed });
export const toolCallStart = z.discriminatedUnion('status', [pendingToolCallStart, runningToolCallStart]);

export const pendingToolCall = pendingToolCallStart.extend({ startedAt: timestamp });
export const runningToolCall = runningToolCallStart.extend({
  output: toolOutput.exactOptional(),
  startedAt: timestamp,
});
export const finishedToolCall = z.object({
  ...base,
  status: z.literal('completed'),
  confirmed: toolConfirmed,
  output: toolOutput.exactOptional(),
  result: toolCallResult,
  startedAt: timestamp,
  endedAt: timestamp,
});
export const cancelledToolCall = z.object({
  ...base,
  status: z.literal('cancelled'),
  cancelled: z.enum(['denied', 'turnEnded']),
  confirmed: toolConfirmed.exactOptional(),
  reason: z.string().exactOptional(),
  output: toolOutput.exactOptional(),
  startedAt: timestamp,
  endedAt: timestamp,
});
export const toolCallState = z.discriminatedUnion('status', [
  pendingToolCall,
  runningToolCall,
  finishedToolCall,
  cancelledToolCall,
]);
export const completedToolCall = z.discriminatedUnion('status', [finishedToolCall, cancelledToolCall]);
