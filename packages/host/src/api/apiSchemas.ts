import { SCHEMAS } from '@agenthost/protocol/schemas';
import * as z from 'zod';

// What requests carry, made of the schemas of the protocol: a field that changes there changes here.

const fieldsOf = (schema: z.ZodType) => (schema as z.ZodObject).shape;
const field = (schema: z.ZodType, name: string): z.ZodType => {
  const found = fieldsOf(schema)[name];
  if (!found) throw new TypeError(`the schema has no field ${name}`);
  return found as z.ZodType;
};

const {
  ListSessionsParams,
  ListSessionsFilter,
  ListArtifactsParams,
  FetchPartsParams,
  TurnsRange,
  DisposeSessionParams,
} = SCHEMAS;

/** All fields of an action, or of params, but those that the address or the host says. */
function bodyOf(schema: z.ZodType, without: readonly string[]): z.ZodObject {
  const rest = Object.entries(fieldsOf(schema)).filter(([name]) => !without.includes(name));
  return z.strictObject(Object.fromEntries(rest));
}

const STAMPS = ['type', 'session', 'at', 'by', 'turnId'];

export const listQuery = z.strictObject({
  ...fieldsOf(ListSessionsFilter),
  limit: field(ListSessionsParams, 'limit'),
  cursor: field(ListSessionsParams, 'cursor'),
});
export const searchQuery = z.strictObject({ ...listQuery.shape, text: z.string().min(1).max(1_000) });
export const turnsQuery = z.strictObject({
  before: field(TurnsRange, 'before'),
  limit: z.optional(field(TurnsRange, 'limit')).describe('30 if absent.'),
});
export const partsQuery = z.strictObject({
  before: field(FetchPartsParams, 'before'),
  limit: z.optional(field(FetchPartsParams, 'limit')).describe('100 if absent.'),
});
export const artifactsQuery = z.strictObject({
  kind: field(ListArtifactsParams, 'kind'),
  limit: field(ListArtifactsParams, 'limit'),
  cursor: field(ListArtifactsParams, 'cursor'),
});
export const deleteQuery = z.strictObject({
  worktree: field(DisposeSessionParams, 'worktree'),
  agentCopy: field(DisposeSessionParams, 'agentCopy'),
});
export const contentQuery = z.strictObject({ uri: field(SCHEMAS.FetchContentParams, 'uri') });
export const eventsQuery = z.strictObject({
  after: z
    .string()
    .max(100)
    .exactOptional()
    .describe(
      'The id of an event: those after it. `newest`: only what happens from now on. All if absent. The header `Last-Event-ID` counts before it.',
    ),
  turn: z.string().max(256).exactOptional().describe('The stream ends with the end of this turn.'),
  limit: field(SCHEMAS.FetchEventsParams, 'limit').optional().describe('Of an answer as JSON; 100 if absent.'),
});

export const createBody = z.strictObject({
  ...bodyOf(SCHEMAS.CreateSessionParams, ['session', 'provisional']).shape,
  provider: z.string().min(1).max(64).describe('An agent, as GET /api/v1/agents names it.'),
});
export const changeBody = z
  .strictObject({
    title: field(SCHEMAS.TitleChangedAction, 'title').optional(),
    isArchived: z.boolean().optional(),
    isRead: z.boolean().optional(),
  })
  .describe('What is to change; the rest stays.');
export const messageBody = z.strictObject({
  text: field(SCHEMAS.UserMessage, 'text'),
  attachments: field(SCHEMAS.UserMessage, 'attachments'),
  kind: z
    .enum(['turn', 'queued', 'steering'])
    .optional()
    .describe(
      '`turn` (the default) starts a turn, and is refused while one runs. `queued` waits for the running turn, `steering` goes into it.',
    ),
});
export const callAnswer = bodyOf(SCHEMAS.ToolCallConfirmedAction, STAMPS);
export const requestAnswer = bodyOf(SCHEMAS.PermissionResolvedAction, STAMPS);
export const answerBody = z
  .union([callAnswer, requestAnswer])
  .describe('An answer to a tool call that waits for a confirmation (`toolCallId`), or to a request (`requestId`).');
export const cancelBody = z.strictObject({ holdQueue: field(SCHEMAS.TurnCancelledAction, 'holdQueue') });

export const createdSession = z.object({ session: z.string().describe('Its URI, the `resource` of its summary.') });
export const sentMessage = z.object({
  turnId: z.string().exactOptional().describe('Of the turn that it began.'),
  messageId: z.string().exactOptional().describe('Of the message that waits.'),
});
export const questions = z.object({
  items: z.array(
    z.object({
      turnId: z.string(),
      toolCall: SCHEMAS.ToolCallState.exactOptional().describe('It waits for a confirmation.'),
      request: SCHEMAS.PermissionRequest.exactOptional(),
    }),
  ),
});
export const agents = z.object({ items: z.array(SCHEMAS.AgentInfo) });
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string().describe('For programs. It never changes its meaning; there may be new ones.'),
  detail: z.string().describe('What happened, ready to display.'),
  whatToDo: z.string().describe('Ready to display.'),
});
