import * as z from 'zod';
import { MAX_COMMENT_LENGTH, MAX_QUOTE_LENGTH } from '../limits.js';
import { author } from './commonSchemas.js';
import { id, path, timestamp } from './primitives.js';

const line = z.int().min(1);

const place = {
  id: id.describe('Chosen by the client that writes it.'),
  path: path.describe("Relative to the session's folder, as in the list of changes."),
  side: z
    .enum(['old', 'new'])
    .describe('Which lines are meant: those before the changes, or those that are there now.'),
  line: line.describe('The first line, counted from 1.'),
  endLine: line.exactOptional().describe('The last line; absent for a single one.'),
  quote: z.string().max(MAX_QUOTE_LENGTH).describe('The code that it is about, or the beginning of it.'),
  text: z.string().min(1).max(MAX_COMMENT_LENGTH),
};

export const newComment = z.object(place).describe('What a client writes about lines of a change.');

export const sentComment = z.object({
  messageId: id.describe('The message that it is in: the id of a turn, of a pending message or of a steering part.'),
  by: author.exactOptional(),
  at: timestamp,
});

export const resolvedComment = z.object({ by: author.exactOptional(), at: timestamp });

export const reviewComment = z
  .object({
    ...place,
    author: author.exactOptional(),
    createdAt: timestamp,
    changedAt: timestamp.exactOptional().describe('When its author changed it.'),
    sent: sentComment.exactOptional().describe('The agent has it, or will get it when its message starts.'),
    resolved: resolvedComment.exactOptional(),
  })
  .describe('A comment on lines of a change, for everybody who reviews. Since version 2.');
