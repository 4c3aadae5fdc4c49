import * as z from 'zod';
import { MAX_LIST_LIMIT, MAX_SNAPSHOT_TURNS } from '../limits.js';
import { count, id, label, timestamp, uri } from './primitives.js';

const yes = z.literal(true).exactOptional();

export const nativeSession = z
  .object({
    id: id.describe('Names it in `fetchNativeTurns` and `continueNativeSession`.'),
    provider: id.describe('The agent that can continue it.'),
    agentName: label,
    title: label,
    workingDirectory: uri.exactOptional().describe('The folder that it was begun in. Without one it can only be read.'),
    modifiedAt: timestamp,
    isBusy: yes.describe('It changed a moment ago: somebody works with it in a terminal.'),
    command: label.describe('What continues it in a terminal.'),
    session: uri.exactOptional().describe('The session that continues it here.'),
  })
  .describe('A conversation that an agent keeps by itself, begun outside of the host, for example in a terminal.');

export const listNativeSessionsParams = z.object({
  limit: z.int().min(1).max(MAX_LIST_LIMIT).exactOptional(),
  cursor: label.exactOptional(),
});
export const listNativeSessionsResult = z.object({
  items: z.array(nativeSession).describe('The newest first.'),
  nextCursor: z.string().exactOptional(),
  total: count.describe('About how many there are: those that are not read yet count.'),
  unreadable: z
    .array(z.object({ count, reason: z.string() }))
    .exactOptional()
    .describe('How many of those looked at so far could not be read, by the reason, as sentences.'),
});
export const fetchNativeTurnsParams = z.object({
  id,
  before: id.exactOptional().describe('Turns older than this one; the newest if absent.'),
  limit: z.int().min(1).max(MAX_SNAPSHOT_TURNS),
});
export const continueNativeSessionParams = z
  .object({
    id,
    session: uri.describe('The new session, `<provider>:/<id>`, with the turns until now.'),
    asCopy: yes.describe('A conversation of its own. Otherwise its agent continues the native one under its id.'),
  })
  .describe(
    'Fails with `data.code` `nativeSessionBusy` while somebody works with it in a terminal, unless it is a copy, and with `sessionAlreadyExists` and `data.session` if it is continued here already.',
  );
