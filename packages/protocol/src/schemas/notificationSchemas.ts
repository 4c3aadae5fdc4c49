import * as z from 'zod';
import { anyRecord, count, timestamp, title, uri } from './primitives.js';
import { fileChangeSummary, sessionMode, sessionStatus, sessionSummary } from './sessionStateSchemas.js';
import { sharedTerminal } from './terminalSchemas.js';

export const sessionSummaryChanges = z
  .object({
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
  })
  .describe('Only the changed fields; `null` where an optional field went away.');

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

export const storageChangedNotification = z
  .object({
    type: z.literal('notify/storageChanged'),
    storage: z
      .enum(['local', 'client', 'gone'])
      .describe(
        '`client`: a client keeps the files. `gone`: that client has disconnected, and nothing can be stored until the host restarts.',
      ),
    message: z.string().describe('Ready to display: what happened and what to do.'),
  })
  .describe("The place of the sessions' files has changed. Since version 2.");

export const loginOutputNotification = z
  .object({ type: z.literal('notify/loginOutput'), login: z.string(), data: z.string() })
  .describe(
    "What an agent's own log-in program prints into its terminal. Only for the client that began it. Since version 2.",
  );
export const loginEndedNotification = z
  .object({
    type: z.literal('notify/loginEnded'),
    login: z.string(),
    isLoggedIn: z.boolean(),
    message: z.string().describe('Ready to display: how it ended.'),
  })
  .describe('The last of a log-in. Only for the client that began it. Since version 2.');

export const terminalOutputNotification = z
  .object({
    type: z.literal('notify/terminalOutput'),
    terminal: uri,
    offset: count.describe('Code units of output before this one.'),
    data: z.string(),
  })
  .describe('What the program in a terminal prints. Only for clients that have attached to it. Since version 2.');
export const terminalScreenNotification = z
  .object({
    type: z.literal('notify/terminalScreen'),
    terminal: uri,
    screen: z.string(),
    offset: count.describe('Of the output that comes next.'),
  })
  .describe(
    'For an attached client that was too slow: the screen as it is now, in place of all before. Since version 2.',
  );
export const terminalChangedNotification = z
  .object({ type: z.literal('notify/terminalChanged'), session: uri, terminal: sharedTerminal })
  .describe('A terminal of a session is new, or has changed. For subscribers of the session. Since version 2.');
export const terminalRemovedNotification = z
  .object({ type: z.literal('notify/terminalRemoved'), session: uri, terminal: uri })
  .describe('A terminal of a session was closed. For subscribers of the session. Since version 2.');
export const workChangedNotification = z
  .object({ type: z.literal('notify/workChanged'), session: uri })
  .describe("Files of the session's folder have changed since the last turn or were restored. Since version 2.");

export const notification = z
  .discriminatedUnion('type', [
    sessionAddedNotification,
    sessionRemovedNotification,
    sessionSummaryChangedNotification,
    progressNotification,
    storageChangedNotification,
    loginOutputNotification,
    loginEndedNotification,
    terminalOutputNotification,
    terminalScreenNotification,
    terminalChangedNotification,
    terminalRemovedNotification,
    workChangedNotification,
  ])
  .describe('Ephemeral: not reduced, not stored, not replayed. After a reconnect a client fetches the list again.');
