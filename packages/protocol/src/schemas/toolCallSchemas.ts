import * as z from 'zod';
import { author, contentRef } from './commonSchemas.js';
import { count, id, label, timestamp, toolInputKind, uri } from './primitives.js';

const answerKind = z.enum(['approve', 'deny']);

export const covers = z
  .string()
  .exactOptional()
  .describe('What it allows from now on without a question, where it counts for later calls. Since version 2.');

export const confirmationOption = z.object({
  id,
  label: z.string(),
  kind: answerKind,
  explicit: z
    .literal(true)
    .exactOptional()
    .describe('Only chosen by its id: it also counts for later calls, or the agent does not say what it means.'),
  covers,
});

export const toolConfirmation = z.object({
  title: z.string().exactOptional(),
  options: z.array(confirmationOption).exactOptional(),
  editable: z.boolean().exactOptional().describe('The client may send back a changed `toolInput`.'),
  readOnly: z
    .literal(true)
    .exactOptional()
    .describe('The agent says that the call only reads: it changes nothing and runs nothing.'),
});

export const toolConfirmed = z.object({
  how: z.enum(['user', 'policy', 'notNeeded']),
  by: author.exactOptional(),
  optionId: id.exactOptional(),
  at: timestamp.exactOptional().describe('When it was answered.'),
  edited: z.literal(true).exactOptional().describe('Whoever allowed it changed its input. Since version 2.'),
});

export const toolOutput = z
  .object({
    text: z.string(),
    truncated: z.boolean().exactOptional(),
    omitted: count.exactOptional(),
    ref: contentRef.exactOptional(),
  })
  .describe(
    'Live output: everything while it is short; then its first `TOOL_OUTPUT_HEAD` and its last `TOOL_OUTPUT_TAIL` code units, joined, with `omitted` code units missing between the two.',
  );

export const toolError = z.object({ message: z.string(), code: z.string().exactOptional() });

export const textResultContent = z.object({ type: z.literal('text'), text: z.string() });
export const refResultContent = z.object({ type: z.literal('contentRef'), ref: contentRef });
export const fileEditResultContent = z.object({
  type: z.literal('fileEdit'),
  uri,
  insertions: count,
  deletions: count,
  diff: z.string().exactOptional(),
  before: contentRef
    .exactOptional()
    .describe(
      'The whole file before and after, byte for byte; neither if the host is not sure. A new file has no `before`.',
    ),
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

/** What every stage of a tool call has. All of it is ready to display; clients never look at `toolName`. */
const base = {
  toolCallId: id,
  toolName: z.string(),
  displayName: z.string(),
  invocationMessage: z.string(),
  toolKind: z.literal('terminal').exactOptional(),
  language: z.string().exactOptional(),
  toolInput: z.string().exactOptional().describe('With `toolInputRef`, only its head and its tail.'),
  clientName: label
    .exactOptional()
    .describe('The tool is one of a client: the name of that client, ready to display. Since version 2.'),
  toolInputRef: contentRef.exactOptional().describe('The whole input, where it is too long for the state.'),
  parentToolCallId: id
    .exactOptional()
    .describe('The call that started the sub-agent which makes this one. Since version 2.'),
  takesInput: z
    .literal(true)
    .exactOptional()
    .describe('While it runs, clients may give it input with `session/toolInput`. Since version 2.'),
};

export const givenInput = z
  .object({
    kind: toolInputKind,
    by: author.exactOptional(),
    at: timestamp,
    count: count.describe('How often the call was given input, this time included.'),
  })
  .describe('The newest input that a client gave a running call. Its text is never stored or shown. Since version 2.');

/** What a call has from the time that it runs. */
const ran = { output: toolOutput.exactOptional(), lastInput: givenInput.exactOptional() };

export const pendingToolCallStart = z.object({
  ...base,
  status: z.literal('pendingConfirmation'),
  confirmation: toolConfirmation,
});
export const runningToolCallStart = z.object({ ...base, status: z.literal('running'), confirmed: toolConfirmed });
export const toolCallStart = z
  .discriminatedUnion('status', [pendingToolCallStart, runningToolCallStart])
  .describe('How `session/toolStart` announces a call; the reducer adds the times.');

export const pendingToolCall = pendingToolCallStart.extend({ startedAt: timestamp });
export const runningToolCall = runningToolCallStart.extend({
  ...ran,
  startedAt: timestamp,
});
export const finishedToolCall = z.object({
  ...base,
  status: z.literal('completed'),
  confirmed: toolConfirmed,
  ...ran,
  result: toolCallResult,
  startedAt: timestamp,
  endedAt: timestamp,
});
export const cancelledToolCall = z.object({
  ...base,
  status: z.literal('cancelled'),
  cancelled: z.enum(['denied', 'turnEnded']).describe('Denied by an answer, or still open when its turn ended.'),
  confirmed: toolConfirmed.exactOptional().describe('Who allowed or denied it.'),
  reason: z.string().exactOptional(),
  ...ran,
  startedAt: timestamp,
  endedAt: timestamp,
});
export const toolCallState = z.discriminatedUnion('status', [
  pendingToolCall,
  runningToolCall,
  finishedToolCall,
  cancelledToolCall,
]);
export const completedToolCall = z
  .discriminatedUnion('status', [finishedToolCall, cancelledToolCall])
  .describe('A call that does not change any more.');
