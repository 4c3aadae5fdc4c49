// A bridge to Slack: a webhook brings questions into a channel, and a button there answers them over HTTP (docs/api.md).
import { equal, match } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from '@agenthost/client';
import { exampleHost, when } from './parts/exampleHost.ts';
import { type WebhookMessage, webhookServer } from './parts/webhookServer.ts';

const { url, token, close } = await exampleHost();
const host = await connect({ url, token });
let secret = '';

// Stands for Slack's incoming webhook of a channel. In the real one, the value of a button comes to the bridge's interactivity URL.
const posted: { readonly text: string; readonly value: string }[] = [];
const slack = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { text, blocks } = JSON.parse(body);
  posted.push({ text, value: blocks?.[1]?.elements[0].value ?? '' });
  response.end('ok');
}).listen(0, '127.0.0.1');
await once(slack, 'listening');
const channel = `http://127.0.0.1:${(slack.address() as AddressInfo).port}/services/T0/B0/x`;

async function post({ type, data }: WebhookMessage): Promise<void> {
  const title = plain(data['title'] ?? '');
  const text =
    type === 'needsInput' ? `*${title}* asks:\n${plain(data['text'] ?? '')}` : `*${title}* ${data['outcome']}`;
  const value = JSON.stringify(data);
  const button = { type: 'button', action_id: 'allow', text: { type: 'plain_text', text: 'Allow' }, value };
  const section = { type: 'section', text: { type: 'mrkdwn', text } };
  const blocks = type === 'needsInput' ? [section, { type: 'actions', elements: [button] }] : [section];
  const { ok } = await fetch(channel, { method: 'POST', body: JSON.stringify({ text, blocks }) });
  // Without an answer 2xx the host sends it again.
  if (!ok) throw new Error('Slack did not take it');
}

/** Somebody has pressed the button. */
async function allow({ session = '', turnId = '', toolCallId }: Record<string, string>): Promise<void> {
  const path = `/api/v1/sessions/${encodeURIComponent(session)}/turns/${encodeURIComponent(turnId)}/answers`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': `slack-${toolCallId}` },
    body: JSON.stringify({ toolCallId, approved: true }),
  });
  equal(answer.status, 204);
}

function plain(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const bridge = await webhookServer(() => secret, post);
const events = ['needsInput', 'turnEnded'] as const;
({ secret } = await host.webhooks.add({ url: bridge.url, events, content: true, allowPrivate: true }));

const session = await host.createSession({ provider: 'shell' });
await session.send('echo deployed');
while (posted.length < 1) await once(slack, 'request').then(() => new Promise(setImmediate));
match(posted[0]?.text ?? '', /^\*echo deployed\* asks:\n.*echo deployed/s);
await allow(JSON.parse(posted[0]?.value ?? ''));
await when(session.confirmed, ({ turns }) => turns.length === 1);
while (posted.length < 2) await once(slack, 'request').then(() => new Promise(setImmediate));
equal(posted[1]?.text, '*echo deployed* complete');
console.log(posted.map(({ text }) => text.split('\n')[0]).join(' → '));

host.close();
bridge.close();
slack.close();
await close();
