import * as z from 'zod';
import {
  MAX_CLIENT_TOOLS,
  MAX_TOOL_DESCRIPTION_LENGTH,
  MAX_TOOL_NAME_LENGTH,
  MAX_TOOL_RESULT_ITEMS,
  MAX_TOOL_RESULT_LENGTH,
} from '../limits.js';
import { anyRecord, id, label, uri } from './primitives.js';

const toolName = z
  .string()
  .max(MAX_TOOL_NAME_LENGTH)
  .regex(/^(?!(?:constructor|prototype)$)[A-Za-z][A-Za-z0-9_-]*$/, 'not a name of a tool')
  .describe('Letters, digits, `_` and `-`, beginning with a letter.');

export const clientTool = z
  .object({
    name: toolName,
    title: label.exactOptional().describe('Ready to display.'),
    description: z
      .string()
      .max(MAX_TOOL_DESCRIPTION_LENGTH)
      .describe('For the model: what it does, and when to use it.'),
    inputSchema: anyRecord.describe(
      'JSON Schema of the input, an object: `type` is `object`. At most `MAX_TOOL_SCHEMA_LENGTH` code units as JSON; a `$ref` begins with `#`. The host does not check inputs against it.',
    ),
  })
  .describe('A tool that a client carries out for the agent of a session.');

export const setClientToolsParams = z.object({
  session: uri.describe('The connection is subscribed to it.'),
  tools: z
    .array(clientTool)
    .max(MAX_CLIENT_TOOLS)
    .describe('All tools of this client in this session from now on; an empty list removes them.'),
});

export const callClientToolParams = z
  .object({
    session: uri,
    callId: id.describe('The same when the host asks again after a lost connection: the call is carried out once.'),
    name: toolName,
    input: anyRecord.describe('As the model made it: unchecked.'),
  })
  .describe('`callClientTool`: the agent of a session uses a tool of this client.');

export const clientToolContent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string().max(MAX_TOOL_RESULT_LENGTH) }),
  z.object({
    type: z.literal('image'),
    data: z
      .string()
      .max(MAX_TOOL_RESULT_LENGTH)
      .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'not base64')
      .describe('Base64.'),
    mimeType: z
      .string()
      .max(100)
      .regex(/^image\/[a-z0-9.+-]+$/, 'not a type of image'),
  }),
]);

export const callClientToolResult = z.object({
  content: z
    .array(clientToolContent)
    .max(MAX_TOOL_RESULT_ITEMS)
    .describe('At most `MAX_TOOL_RESULT_LENGTH` code units in all; of more the agent is told that it is too large.'),
  isError: z.literal(true).exactOptional().describe('The tool failed; the content says why, to the model.'),
});
