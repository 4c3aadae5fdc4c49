import * as z from 'zod';
import { MAX_AUDIT_LIMIT, MAX_TITLE_LENGTH } from '../limits.js';
import { role } from './handshakeSchemas.js';
import { count, id, timestamp, uri } from './primitives.js';

export const auditActor = z.object({
  name: z.string().describe('The person, or the device where no person is known.'),
  device: z.string().exactOptional(),
  token: z.string().exactOptional().describe('The id of its token, as in `listDevices`.'),
  role: role.exactOptional(),
  clientId: z.string().exactOptional(),
});

export const auditEntry = z.object({
  at: timestamp,
  event: z
    .string()
    .describe('For programs: the command, or `connected`, `refused`, `approved`, `tokenAdded` and so on.'),
  text: z.string().describe('What happened, ready to display after the name in `by`, or alone without it.'),
  by: auditActor.exactOptional(),
  from: z.string().exactOptional().describe('The network address.'),
  session: uri.exactOptional(),
  outcome: z.enum(['done', 'failed', 'refused']).exactOptional(),
  count: count.exactOptional().describe('How often it happened since the entry before it of the same kind.'),
  host: id.exactOptional().describe('Which of several hosts.'),
});

export const noteExportParams = z.object({ session: uri, format: z.enum(['md', 'json']) });

export const fetchAuditParams = z.object({
  session: uri.exactOptional().describe('Only entries about it.'),
  before: z.string().max(MAX_TITLE_LENGTH).exactOptional().describe('`nextCursor` of the page before.'),
  limit: z.int().min(1).max(MAX_AUDIT_LIMIT),
});
export const fetchAuditResult = z.object({
  items: z.array(auditEntry).describe('Newest first.'),
  nextCursor: z.string().exactOptional().describe('Absent at the end. A page may be empty and have one.'),
});
