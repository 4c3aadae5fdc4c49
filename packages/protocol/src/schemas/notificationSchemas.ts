import * as z from 'zod';
import { anyRecord, timestamp, title, uri } from './primitives.js';
import { fileChangeSummary, sessionMode, sessionStatus, sessionSummary } from './sessionStateSchemas.js';

export const sessionSummaryChanges = z.object({
  title: title.exactOptional(),
  modifiedAt: timestamp.exactOptional(),
  status: sessionStatus.exactOptional(),
  isRead: z.boolean().exactOptional(),
  isArchived: z.boolean().exactOptional(),
  activity: z.string().nullable().exactOptional(),
  model: z.string().nullable().exactOptional(),
  mode: sessionMode.nullable().exactOptional(),
  workingDirectory: uri.nullable().exactOptional(),
  metadata: anyRecord.nullable().exactOptional(),
  changes: z.array(fileChangeSummary).nullable().exactOptional(),
  lastTurnEndedAt: timestamp.nullable().exactOptional(),
  isCreating: z.literal(true).nullable().exactOptional(),
});

export const sessionAddedNotification = z.object({ type: z.literal('notify/sessionAdded'), summary: sessionSummary });
export const sessionRemovedNotification = z.object({ type: z.literal('notify/sessionRemoved'), session: uri });
export const sessionSummaryChangedNotification = z.object({
  type: z.literal('notify/sessionSummaryChanged'),
  session: uri,
  changes: sessionSummaryChanges,
});
export const progressNotification = z.object({
  type: z.literal('notify/progress'),
  token: z.string(),
  message: z.string(),
  done: z.number().exactOptional(),
  total: z.number().exactOptional(),
});

export const storageChangedNotification = z.object({
  type: z.literal('notify/storageChanged'),
  storage: z.enum(['local', 'client', 'gone']),
  message: z.string(),
});

export const notification = z.discriminatedUnion('type', [
  sessionAddedNotification,
  sessionRemovedNotification,
  sessionSummaryChangedNotification,
  progressNotification,
  storageChangedNotification,
]);
