import * as z from 'zod';
import { ARTIFACT_KINDS } from '../artifacts.js';
import {
  MAX_ARTIFACTS_LIMIT,
  MAX_BRANCHES,
  MAX_CONTENT_RANGE,
  MAX_EVENTS_LIMIT,
  MAX_IMPORTED_CONTENTS,
  MAX_IMPORTED_TURNS,
  MAX_LIST_LIMIT,
  MAX_LOGIN_INPUT,
  MAX_PARTS_LIMIT,
  MAX_SNAPSHOT_TURNS,
  MAX_TERMINAL_SIZE,
} from '../limits.js';
import { actionEnvelope, clientAction } from './actionSchemas.js';
import { notification } from './notificationSchemas.js';
import { anyRecord, clientSeq, count, id, label, timestamp, title, uri } from './primitives.js';
import { agentLogin } from './rootStateSchemas.js';
import { sessionStatus, sessionSummary } from './sessionStateSchemas.js';
import { toolCallState } from './toolCallSchemas.js';
import { responsePart, turn } from './turnSchemas.js';

const yes = z.literal(true).exactOptional();
const logCursor = z
  .string()
  .regex(/^\d{1,15}-\d{1,15}-\d{1,15}-[0-9a-f]{8}$/, 'not a place of a session')
  .describe('A place in what a session has stored. Opaque; it stays valid across restarts and at every host.');

export const subscribeParams = z.object({
  resource: uri,
  turns: z
    .int()
    .min(1)
    .max(MAX_SNAPSHOT_TURNS)
    .exactOptional()
    .describe('How many of the newest turns the snapshot holds.'),
});
export const unsubscribeParams = z.object({ resource: uri });

export const dispatchActionParams = z.object({
  clientSeq: clientSeq.describe('Counts up from 1 over the life of a `clientId`.'),
  action: clientAction,
});

export const actionParams = z.object({ envelope: actionEnvelope });
export const notificationParams = z.object({ notification });

export const createSessionParams = z.object({
  session: uri,
  provider: id.exactOptional(),
  model: id.exactOptional(),
  workingDirectory: uri.exactOptional(),
  metadata: anyRecord.exactOptional(),
  config: anyRecord.exactOptional().describe('For the agent; the host passes it on unchanged.'),
  provisional: z
    .literal(true)
    .exactOptional()
    .describe(
      'No client is told of the session, and no list has it, before its first message; without one it ends with the host.',
    ),
});
export const forkSessionParams = z.object({
  source: uri,
  session: uri.describe("The fork's own; with another provider, the conversation is handed over to that agent."),
  toTurnId: id.exactOptional().describe('The last turn that the fork has; all of them if absent.'),
  group: uri
    .exactOptional()
    .describe("`group` of the fork's metadata: another chat of that session. Without it the fork is in no group."),
});
export const importedContent = z
  .object({
    uri: uri.describe('As in the turns.'),
    offset: count.exactOptional().describe('Where the piece begins; 0 if absent.'),
    data: z
      .string()
      .max(Math.ceil(MAX_CONTENT_RANGE / 3) * 4)
      .describe('Base64 of at most `MAX_CONTENT_RANGE` bytes.'),
  })
  .describe(
    'A piece of a content whose id has its hash (`agent-…`, `pasted-…`); one content after the other, each from its beginning.',
  );
export const importSessionParams = z.object({
  session: uri,
  provider: id.exactOptional(),
  title: title.exactOptional(),
  model: id.exactOptional(),
  workingDirectory: uri.exactOptional(),
  metadata: anyRecord.exactOptional(),
  turns: z
    .array(turn)
    .max(MAX_IMPORTED_TURNS)
    .describe(
      'Ended turns of another session, oldest first; as many as fit into a frame. A long turn may come in pieces, one after the other and with the same id, each with the next parts and with `earlierParts` saying how many came before.',
    ),
  contents: z
    .array(importedContent)
    .max(MAX_IMPORTED_CONTENTS)
    .exactOptional()
    .describe('Pieces of what turns refer to, before or with those turns. References to anything else are left out.'),
  more: yes.describe(
    'Further turns follow in another call. The session exists after the call without it; of all the others only `turns` and `contents` count.',
  ),
});
export const disposeSessionParams = z.object({
  session: uri,
  worktree: z
    .enum(['keep', 'ask', 'discard'])
    .exactOptional()
    .describe(
      "What becomes of the session's own worktree. `keep` (the default): what no commit and no other branch has stays. `ask`: where there is such work the session is not deleted, and the error's `data.code` is `unmergedWork`. `discard`: all of it is removed. Since version 2.",
    ),
  agentCopy: z
    .enum(['keep', 'delete'])
    .exactOptional()
    .describe(
      "What becomes of the conversation in the agent's own store, from where a terminal continues it. `keep` is the default. `delete`: it is removed too; where it can't be, the session is not deleted, and the error's `data.code` is `agentCopyKept`. Since version 2.",
    ),
});

export const listSessionsFilter = z.object({
  provider: id.exactOptional(),
  status: sessionStatus.exactOptional(),
  isArchived: z.boolean().exactOptional(),
  isRead: z.boolean().exactOptional(),
  workspace: uri.exactOptional().describe("A working directory's `file:` URI, or a workspace's label."),
  text: label
    .exactOptional()
    .describe(
      'Words to find in titles, messages, answers and tool output. A session matches if it has all of them, in any place; the last one may be the beginning of a word, and "words in quotes" stand next to each other.',
    ),
  modifiedSince: timestamp.exactOptional(),
});
export const listSessionsParams = z.object({
  filter: listSessionsFilter.exactOptional(),
  limit: z.int().min(1).max(MAX_LIST_LIMIT).exactOptional(),
  cursor: label.exactOptional(),
});
export const listSessionsResult = z.object({
  items: z.array(sessionSummary),
  nextCursor: z.string().exactOptional(),
  total: count,
  snippets: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe(
      'With `filter.text`: by session, the plain text around the first match. The match stands between ⟨ and ⟩ (U+27E8, U+27E9), and … stands for what is left out.',
    ),
});

export const turnsRange = z.object({
  before: id.exactOptional().describe('Turns older than this one; the newest if absent.'),
  limit: z.int().min(1).max(MAX_SNAPSHOT_TURNS),
});
export const fetchTurnsParams = z.object({ session: uri, range: turnsRange });
export const fetchTurnsResult = z.object({ turns: z.array(turn).describe('Oldest first.'), hasMore: z.boolean() });

export const fetchPartsParams = z.object({
  session: uri,
  turnId: id,
  before: count
    .exactOptional()
    .describe('Parts before this place among all parts of the turn; the newest parts if absent.'),
  limit: z.int().min(1).max(MAX_PARTS_LIMIT),
});
export const fetchPartsResult = z.object({
  parts: z.array(responsePart).describe('Oldest first, without a gap.'),
  toolCalls: z.array(toolCallState).describe('The calls of those parts.'),
  earlier: count.describe('How many parts are before the first of `parts`.'),
});

export const fetchEventsParams = z.object({
  session: uri,
  after: logCursor.exactOptional().describe('Events after this place; from the beginning of the session if absent.'),
  newest: yes.describe('No events, only the place after the newest one. `after` does not count.'),
  limit: z.int().min(1).max(MAX_EVENTS_LIMIT),
});
export const storedEvent = z.object({
  cursor: logCursor.describe('The place after it.'),
  envelope: actionEnvelope.describe('As it is stored: text that was written in one go is one `session/delta`.'),
});
export const fetchEventsResult = z.object({
  items: z.array(storedEvent).describe('Oldest first, without a gap.'),
  cursor: logCursor.exactOptional().describe('The place after the last item; absent while nothing is stored.'),
  hasMore: z.boolean(),
});

export const contentRange = z.object({ offset: count, length: z.int().min(1).max(MAX_CONTENT_RANGE) });
export const fetchContentParams = z.object({ uri, range: contentRange.exactOptional().describe('In bytes.') });
export const fetchContentResult = z.object({
  data: z.string(),
  encoding: z.enum(['utf-8', 'base64']),
  mimeType: z.string().exactOptional(),
  size: count.describe('Of the whole content, in bytes.'),
});

export const artifactKind = z.enum(ARTIFACT_KINDS);
export const listArtifactsParams = z.object({
  session: uri,
  kind: artifactKind.exactOptional().describe('Only those of this kind.'),
  limit: z.int().min(1).max(MAX_ARTIFACTS_LIMIT).exactOptional(),
  cursor: uri.exactOptional().describe('From an earlier answer; the list continues after it.'),
});
export const artifact = z
  .object({
    kind: artifactKind,
    name: z.string().describe('Below the folder of its kind, with `/` between folders.'),
    uri: uri.describe('For `fetchContent`.'),
    size: count.describe('In bytes.'),
    modifiedAt: timestamp,
    title: z.string().exactOptional().describe('Shown instead of the name, if there is one.'),
  })
  .describe('Something that a session keeps beside its conversation.');
export const listArtifactsResult = z.object({
  items: z.array(artifact).describe('The plan, then checkpoints, files and research, each by name.'),
  nextCursor: z.string().exactOptional(),
  isIncomplete: yes.describe('There are more than the host looks through: some are in no page.'),
});

export const browseDirectoryParams = z.object({
  uri,
  provider: id.exactOptional().describe('An agent: `untrustedFolder` of the answer is for sessions of it.'),
  branches: yes.describe('Also names the branches of the checkout that the folder is in.'),
});
export const directoryEntry = z.object({
  name: z.string(),
  type: z.enum(['file', 'directory', 'symlink']),
  uri,
  branch: z.string().exactOptional().describe('Of a folder that is a git checkout.'),
});
export const browseDirectoryResult = z.object({
  entries: z.array(directoryEntry),
  untrustedFolder: z
    .string()
    .exactOptional()
    .describe('The path of the folder that somebody would have to trust before a session of `provider` works here.'),
  checkout: z
    .object({
      branch: z.string().exactOptional(),
      branches: z
        .array(z.string())
        .max(MAX_BRANCHES)
        .exactOptional()
        .describe('By name, with `branches` in the params: the first of them where there are very many.'),
    })
    .exactOptional()
    .describe('The folder is in a git checkout, with this branch unless HEAD is detached. Since version 2.'),
});

export const agentParams = z.object({ provider: id });

const columns = z.int().min(1).max(MAX_TERMINAL_SIZE);
const rows = z.int().min(1).max(MAX_TERMINAL_SIZE);
export const beginLoginParams = z.object({ provider: id, columns, rows });
export const beginLoginResult = z.object({
  login: id.describe('Names it in `sendToLogin`, `endLogin` and its notifications.'),
});
export const sendToLoginParams = z
  .object({
    login: id,
    data: z.string().max(MAX_LOGIN_INPUT).exactOptional().describe('What was typed.'),
    size: z.object({ columns, rows }).exactOptional().describe('The size of the terminal from now on.'),
  })
  .describe('Only for the client that began the log-in.');
export const endLoginParams = z.object({ login: id });
export const checkLoginResult = z.object({ login: agentLogin.exactOptional() });
export const setAgentKeyParams = z.object({
  provider: id,
  key: z
    .string()
    .regex(/^[\x21-\x7e]{1,4096}$/, 'a key has 1 to 4,096 printable characters without spaces')
    .describe('Kept on the host. No answer, state, log or error holds it.'),
});
export const setAgentKeyResult = z.object({
  isChecked: z.boolean().describe('The vendor has accepted the key. Otherwise it could not be asked.'),
});
export const pingParams = z.object({});
export const pingResult = z.object({});
