import * as z from 'zod';
import {
  MAX_APPROVALS,
  MAX_CLIENT_TOOLS,
  MAX_COMMANDS,
  MAX_COMMENTS,
  MAX_SESSION_TOOLS,
  MAX_SETTING_VALUES,
  MAX_SETTINGS,
} from '../limits.js';
import { author, errorInfo } from './commonSchemas.js';
import { anyRecord, count, id, label, timestamp, title, uri } from './primitives.js';
import { reviewComment } from './reviewSchemas.js';
import { pickedSession, testRun } from './severalSchemas.js';
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
    .describe(
      'The keys of the metadata contract, `group` for sessions that are chats of one another, and `several` (`Several`).',
    ),
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

export const settingValue = z.object({
  id,
  name: label.describe('Ready to display.'),
  description: label.exactOptional(),
});

export const settingChoice = z.object({
  by: author.exactOptional(),
  turnId: id
    .exactOptional()
    .describe('The turn that ran at that moment: its next step may be the first with the new value.'),
});

export const sessionSetting = z
  .object({
    id,
    name: label.describe('Ready to display.'),
    description: label.exactOptional(),
    kind: id
      .exactOptional()
      .describe('What it is about: `mode`, `effort`, or another word of the agent. Clients know how to show some.'),
    value: id.describe('The id of one of `values`; the agent may also be at one that it does not offer.'),
    values: z.array(settingValue).max(MAX_SETTING_VALUES),
    chosen: settingChoice
      .exactOptional()
      .describe('A client chose the value. The host sets it again when it reopens the agent.'),
    pending: z.literal(true).exactOptional().describe('The agent has not answered the last choice yet.'),
    problem: label.exactOptional().describe('Why the agent did not take the last choice.'),
  })
  .describe(
    "Something that the agent lets users choose in a session: its mode, its effort. The ids are the agent's own.",
  );

export const standingApproval = z
  .object({
    id,
    covers: label.describe('What the agent does without asking, e.g. "Every command".'),
    isRevocable: z
      .literal(true)
      .exactOptional()
      .describe('`session/approvalRevoked` ends it. Absent if the agent itself keeps it, until its process ends.'),
  })
  .describe('An answer that counts for later calls too. Since version 2.');

export const offeredTool = z.object({
  name: id,
  title: label.exactOptional(),
  description: label.describe('Its beginning.'),
});

export const offeredTools = z
  .object({ client: author, tools: z.array(offeredTool).max(MAX_CLIENT_TOOLS) })
  .describe('The tools that a client carries out for the agent.');

export const sessionState = z.object({
  summary: sessionSummary,
  lifecycle: z.enum(['creating', 'ready', 'creationFailed']),
  creationError: errorInfo.exactOptional(),
  titleByUser: z.literal(true).exactOptional().describe('A person chose the title: no title of an agent replaces it.'),
  turns: z.array(turn).describe('The newest ones; a client may hold more of them than the host has in memory.'),
  earlierTurns: count.exactOptional().describe('How many turns before the first of `turns` `fetchTurns` can return.'),
  truncations: count.exactOptional().describe('How often the newest turns were removed. Since version 2.'),
  activeTurn: activeTurn.exactOptional(),
  steeringMessage: pendingMessage.exactOptional(),
  queuedMessages: z.array(pendingMessage).exactOptional(),
  customizations: z.array(sessionCustomization).exactOptional(),
  commands: z
    .array(sessionCommand)
    .max(MAX_COMMANDS)
    .exactOptional()
    .describe('What the agent takes after a `/` at the start of a message.'),
  settings: z
    .array(sessionSetting)
    .max(MAX_SETTINGS)
    .exactOptional()
    .describe(
      'What the agent lets users choose. The setting of kind `mode` says the same as `summary.mode`. Since version 2.',
    ),
  approvals: z
    .array(standingApproval)
    .max(MAX_APPROVALS)
    .exactOptional()
    .describe('What the running agent does without asking, the newest last. Not logged. Since version 2.'),
  clientTools: z
    .array(offeredTools)
    .max(MAX_SESSION_TOOLS)
    .exactOptional()
    .describe('Which clients carry out which tools for the agent. Not logged. Since version 2.'),
  comments: z
    .array(reviewComment)
    .max(MAX_COMMENTS)
    .exactOptional()
    .describe('What people say about lines of the changes, in the order in which they wrote it. Since version 2.'),
  tests: testRun.exactOptional().describe('Since version 2.'),
  picked: pickedSession
    .exactOptional()
    .describe('Of several sessions with one prompt (`metadata.several`). Since version 2.'),
  clients: z.array(author).exactOptional().describe('Which clients look at this session now. Not logged.'),
});
