import * as z from 'zod';
import { MAX_PUSH_ENDPOINT_LENGTH, MAX_TITLE_LENGTH, MAX_WEBHOOK_URL_LENGTH } from '../limits.js';
import { count, id, label, timestamp, uri } from './primitives.js';

const endpoint = z
  .url()
  .max(MAX_PUSH_ENDPOINT_LENGTH)
  .describe('Where the push service of the browser takes messages.');

/** Base64url without padding of so many bytes. */
const bytes = (length: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((length * 4) / 3)}}$`), `not ${length} bytes as base64url`);

export const pushNotify = z
  .enum(['needsInput', 'needsInputAndFinished'])
  .describe('What a device is told of: questions, or also turns that ended while nobody looked.');
export const pushKeys = z
  .object({ p256dh: bytes(65), auth: bytes(16) })
  .describe('The keys of a subscription (RFC 8291): only the device that made them can read what is pushed.');

export const fetchPushKeyParams = z.object({});
export const fetchPushKeyResult = z.object({
  publicKey: bytes(65).describe("The host's VAPID key (RFC 8292): `applicationServerKey` of a subscription."),
});
export const setPushSubscriptionParams = z
  .object({ endpoint, keys: pushKeys, notify: pushNotify })
  .describe('Adds a subscription to the token of the connection, or changes what it is told of.');
export const setPushSubscriptionResult = z.object({ id: id.describe('For `lookAt`.') });
export const removePushSubscriptionParams = z.object({ endpoint });
export const lookAtParams = z.object({
  session: uri
    .exactOptional()
    .describe('What the user sees right now; nothing if absent, e.g. while a page is hidden.'),
  subscription: id.exactOptional().describe('The push subscription of this device, if it has one.'),
});

const yes = z.literal(true).exactOptional();
const pushed = {
  tag: id.describe('Of the notification; a later message with the same tag takes its place.'),
  session: uri.exactOptional().describe('Absent if it is too long for a message.'),
  title: label.describe("The session's title."),
};
export const pushAnswer = z
  .object({
    turnId: id,
    toolCallId: id.exactOptional().describe('Of a call that waits for its confirmation.'),
    requestId: id.exactOptional().describe('Of a permission request, otherwise.'),
    allow: yes.describe('The role of the device may allow it, and `text` has all that is asked.'),
    deny: yes.describe('The role of the device may deny it.'),
  })
  .describe('How a device answers from the notification.');
export const pushedQuestion = z
  .object({
    kind: z.literal('question'),
    ...pushed,
    text: z.string().describe('What is asked, in plain text.'),
    answer: pushAnswer.exactOptional().describe('Absent where it can only be answered in a page.'),
  })
  .describe('A session needs input.');
export const pushedEnd = z
  .object({
    kind: z.literal('finished'),
    ...pushed,
    text: z.string().describe('The beginning of the last answer, or the error.'),
  })
  .describe('A turn ended that nobody watched.');
export const pushedClosure = z
  .object({ kind: z.literal('closed'), ...pushed, by: label.exactOptional().describe('Who answered.') })
  .describe('The question with this tag is no longer open.');
export const pushMessage = z
  .discriminatedUnion('kind', [pushedQuestion, pushedEnd, pushedClosure])
  .describe('What a device gets through its push service, encrypted for it alone: JSON of at most `MAX_PUSH_BYTES`.');

// Webhooks: other programs that are told.

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
