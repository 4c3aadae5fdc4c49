import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AhpTestClient } from '../support/ahpClient.js';
import { type HostProcess, spawnHost, temporaryFolder } from '../support/testHost.js';

let host: HostProcess;
let stateDir: string;
let url: string;
beforeAll(async () => {
  stateDir = await temporaryFolder();
  host = await spawnHost(stateDir, ['--state-dir', stateDir, '--ahp']);
  url = JSON.parse(host.firstLine).ahp.url;
});
afterAll(async () => {
  await host.kill('SIGKILL');
  await rm(stateDir, { recursive: true, force: true });
});

it('runs a turn with a confirmation', async () => {
  const client = await AhpTestClient.open(url);
  const hello = await client.initialize('one', ['0.9.0']);
  expect(hello).toMatchObject({ protocolVersion: '0.9.0', snapshots: [{ resource: 'ahp-root://' }] });
  const session = `mock:/${crypto.randomUUID()}`;
  await client.request('createSession', { channel: session, provider: 'mock' });
  const { snapshot } = await client.request('subscribe', { channel: session });
  const chat = snapshot.state.defaultChat;
  await client.request('subscribe', { channel: chat });
  const message = { text: 'confirm-tool', origin: { kind: 'user' } };
  const started = { type: 'chat/turnStarted', turnId: 't1', startedAt: new Date().toISOString(), message };
  expect(await client.act(chat, started)).not.toHaveProperty('rejectionReason');
  const { action } = await client.action('chat/toolCallReady');
  const confirmed = { turnId: 't1', toolCallId: action.toolCallId, approved: true, confirmed: 'user-action' };
  await client.act(chat, { type: 'chat/toolCallConfirmed', ...confirmed });
  await client.action('chat/turnComplete');
  await client.notification('root/sessionAdded', ({ summary }) => summary.resource === session);
  await client.cut();
});
