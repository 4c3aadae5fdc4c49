import * as z from 'zod';
import { MAX_TITLE_LENGTH, MAX_WEBHOOK_URL_LENGTH } from '../limits.js';
import { count, id, timestamp } from './primitives.js';

const yes = z.literal(true).exactOptional();
const url = z.string().min(1).max(MAX_WEBHOOK_URL_LENGTH);

export const webhookEvent = z
  .enum(['turnStarted', 'turnEnded', 'needsInput', 'inputGiven'])
  .describe('What a webhook can be told of. `inputGiven`: a question was answered.');
const events = z.array(webhookEvent).min(1).max(8);

export const webhook = z
  .object({
    id,
    url,
    events,
    content: yes.describe('Messages, questions and the text of answers are sent too.'),
    allowPrivate: yes.describe('Its address may be in a private network, or without TLS.'),
    createdAt: timestamp,
    failingSince: timestamp.exactOptional().describe('Nothing could be delivered since then.'),
    problem: z.string().exactOptional().describe('Why the newest delivery failed, ready to display.'),
    disabledAt: timestamp.exactOptional().describe('It gets nothing since then, until it is enabled.'),
    waiting: count.exactOptional().describe('Sessions with events that wait. Absent where another host delivers.'),
  })
  .describe('An address that the host tells of events.');

export const listWebhooksParams = z.object({});
export const listWebhooksResult = z.object({ items: z.array(webhook).describe('Oldest first.') });
export const addWebhookParams = z.object({ url, events, content: yes, allowPrivate: yes });
export const addWebhookResult = z.object({
  webhook,
  secret: z.string().describe('Signs what is sent (Standard Webhooks). It is not told again.'),
});
export const webhookParams = z.object({ webhook: id });
export const testWebhookResult = z.object({
  delivered: z.boolean(),
  problem: z.string().max(MAX_TITLE_LENGTH).exactOptional().describe('Why not, ready to display.'),
});
