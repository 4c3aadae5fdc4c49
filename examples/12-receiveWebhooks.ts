// The receiver of a webhook: signatures are checked, and what comes a second time is dropped.
import { deepEqual, equal } from 'node:assert/strict';
import { connect } from '@agenthost/client';
import { ended, exampleHost } from './parts/exampleHost.ts';
import { type WebhookMessage, webhookServer } from './parts/webhookServer.ts';

const { url, token, close } = await exampleHost();
const host = await connect({ url, token });
let secret = '';
const messages: WebhookMessage[] = [];
const over = Promise.withResolvers<void>();

const receiver = await webhookServer(
  () => secret,
  (message) => {
    messages.push(message);
    if (message.type === 'turnEnded') over.resolve();
  },
);

// The same as `agenthost webhook add URL --on turnStarted,turnEnded --allow-private`: this receiver is on a private address.
const events = ['turnStarted', 'turnEnded'] as const;
const added = await host.webhooks.add({ url: receiver.url, events, allowPrivate: true });
secret = added.secret;
equal((await host.webhooks.test(added.webhook.id)).delivered, true);

const session = await host.createSession({ provider: 'mock' });
const turnId = await session.send('say Hello, world!');
await ended(session, turnId);
await over.promise;

deepEqual(
  messages.map(({ type }) => type),
  ['test', 'turnStarted', 'turnEnded'],
);
deepEqual(messages.at(-1)?.data['session'], session.uri);
const forged = await fetch(receiver.url, { method: 'POST', body: '{}', headers: { 'webhook-id': 'msg_1' } });
equal(forged.status, 400);
console.log(messages.map(({ type }) => type).join(' → '));

host.close();
receiver.close();
await close();
