import * as z from 'zod';
import { MAX_COMMANDS } from '../limits.js';
import { author, errorInfo } from './commonSchemas.js';
import { anyRecord, count, id, label, timestamp, title, uri } from './primitives.js';
import { activeTurn, turn, userMessage } from './turnSchemas.js';

export const fileChangeSummary = z.object({ uri, insertions: count, deletions: count });
export const sessionStatus = z.enum(['idle', 'inProgress', 'inputNeeded', 'error']);

export const sessionMode = z.object({ id, name: label.exactOptional() });

export const sessionSummary = z.object({
  resource: uri,
  provider: z.string(),
  title,
  createdAt: timestamp,
  modifiedAt: timestamp,
  status: sessionStatus,
  isRead: z.boolean(),
  isArchived: z.boolean(),
  activity: z.string().exactOptional(),
  model: z.string().exactOptional(),
  mode: sessionMode.exactOptional(),
  workingDirectory: uri.exactOptional(),
  metadata: anyRecord.exactOptional(),
  changes: z.array(fileChangeSummary).exactOptional(),
  lastTurnEndedAt: timestamp.exactOptional(),
  isCreating: z.literal(true).exactOptional(),
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

export const sessionCommand = z.object({
  name: label,
  description: label.exactOptional(),
  inputHint: label.exactOptional(),
});

export const sessionState = z.object({
  summary: sessionSummary,
  lifecycle: z.enum(['creating', 'ready', 'creationFailed']),
  creationError: errorInfo.exactOptional(),
  titleByUser: z.literal(true).exactOptional(),
  turns: z.array(turn),
  earlierTurns: count.exactOptional(),
  activeTurn: activeTurn.exactOptional(),
  steeringMessage: pendingMessage.exactOptional(),
  queuedMessages: z.array(pendingMessage).exactOptional(),
  customizations: z.array(sessionCustomization).exactOptional(),
  commands: z.array(sessionCommand).max(MAX_COMMANDS).exactOptional(),
  clients: z.array(author).exactOptional(),
});
