import * as z from 'zod';
import { MAX_COMMANDS } from '../limits.js';
import { author, errorInfo } from './commonSchemas.js';
import { anyRecord, count, id, label, timestamp, title, uri } from './primitives.js';
import { activeTurn, turn, userMessage } from './turnSchemas.js';

export const fileChangeSummary = z.object({ uri, insertions: count, deletions: count });
export const sessionStatus = z.enum(['idle', 'inProgress', 'inputNeeded', 'error']);

export const sessionMode = z
  .object({ id, name: label.exactOptional().describe('Ready to display; absent if the agent gives no name.') })
  .describe("A mode of the agent. The id is the agent's own.");

export const sessionSummary = z.object({
  resource: uri,
  provider: z.string(),
  title,
  createdAt: timestamp,
  modifiedAt: timestamp,
  status: sessionStatus,
  isRead: z.boolean(),
  isArchived: z.boolean(),
  activity: z.string().exactOptional().describe('What the agent does right now, e.g. "Running npm test".'),
  model: z.string().exactOptional(),
  mode: sessionMode.exactOptional().describe('How the agent works right now, e.g. planning. Since version 2.'),
  workingDirectory: uri.exactOptional().describe('A `file:` URI.'),
  metadata: anyRecord
    .exactOptional()
    .describe('The keys of the metadata contract, and `group` for sessions that are chats of one another.'),
  changes: z.array(fileChangeSummary).exactOptional(),
  lastTurnEndedAt: timestamp.exactOptional().describe('When the last turn ended; absent before that.'),
  isCreating: z.literal(true).exactOptional().describe('Its agent is being started for the first time.'),
});

export const pendingMessage = z.object({ id, userMessage, by: author.exactOptional() });

export const customization = z.object({
  uri,
  displayName: z.string(),
  description: z.string().exactOptional(),
  kind: z.enum(['instructions', 'skill', 'agent', 'mcpServer', 'plugin']),
});
export const sessionCustomization = z.object({
  customization,
  enabled: z.boolean(),
  status: z.enum(['loading', 'loaded', 'degraded', 'error']).exactOptional(),
  statusMessage: z.string().exactOptional(),
});

export const sessionCommand = z
  .object({
    name: label.describe('Without the slash.'),
    description: label.exactOptional(),
    inputHint: label
      .exactOptional()
      .describe('What may be written after it, e.g. "a branch". Absent if nothing is expected there.'),
  })
  .describe('Sent as a message that begins with `/name`.');

export const sessionState = z.object({
  summary: sessionSummary,
  lifecycle: z.enum(['creating', 'ready', 'creationFailed']),
  creationError: errorInfo.exactOptional(),
  titleByUser: z.literal(true).exactOptional().describe('A person chose the title: no title of an agent replaces it.'),
  turns: z.array(turn).describe('The newest ones; a client may hold more of them than the host has in memory.'),
  earlierTurns: count.exactOptional().describe('How many turns before the first of `turns` `fetchTurns` can return.'),
  activeTurn: activeTurn.exactOptional(),
  steeringMessage: pendingMessage.exactOptional(),
  queuedMessages: z.array(pendingMessage).exactOptional(),
  customizations: z.array(sessionCustomization).exactOptional(),
  commands: z
    .array(sessionCommand)
    .max(MAX_COMMANDS)
    .exactOptional()
    .describe('What the agent takes after a `/` at the start of a message.'),
  clients: z.array(author).exactOptional().describe('Which clients look at this session now. Not logged.'),
});
