import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient } from '@agenthost/client';
import { type AddWebhookParams, ERROR_CODE } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../support/cleanups.js';
import { RawClient } from '../../support/rawClient.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';
import { WebhookReceiver } from '../../support/webhooks/webhookReceiver.js';

const QUICK = { firstDelayMs: 5, maxDelayMs: 20, disableAfterMs: 300 };
const cleanups = cleanupsOfTests();
const ALL: AddWebhookParams['events'] = ['turnStarted', 'turnEnded', 'needsInput', 'inputGiven'];

describe('webhooks', () => {
  let host: TestHost;
  let owner: HostClient;
  let receiver: WebhookReceiver;
  const start = async (stateDir?: string, limits: object = QUICK) => {
    host = await startTestHost({ webhooks: { limits }, ...(stateDir !== undefined && { stateDir }) });
    owner = await host.connect();
  };
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    await start();
  });
  afterEach(async () => {
    await host.dispose();
    await receiver.close();
  });

  const add = async (params: Partial<AddWebhookParams> = {}) => {
    const added = await owner.webhooks.add({ url: receiver.url, events: ALL, allowPrivate: true, ...params });
    receiver.secret = added.secret;
    return added.webhook;
  };
  const send = async (text: string) => {
    const session = await owner.createSession({ provider: 'mock' });
    await session.send(text);
    return session;
  };
  const types = () => receiver.events.map(({ message: { type } }) => type);
  const stateOf = async () => (await owner.webhooks.list()).items[0];

  it('tell of turns and questions in order, signed, without texts', async () => {
    await add();
    const session = await send('confirm-tool');
    await expect.poll(types).toEqual(['turnStarted', 'needsInput']);
    const call = await until(session.pendingConfirmations, ([first]) => first !== undefined).then(([first]) => first);
    await call?.approve();
    await expect.poll(types).toEqual(['turnStarted', 'needsInput', 'inputGiven', 'turnEnded']);
    expect(receiver.problems).toEqual([]);
    const { turnId } = receiver.events[0]?.message.data ?? {};
    const { uri } = session;
    expect(receiver.events.map(({ message: { data } }) => data)).toEqual([
      { session: uri, title: expect.any(String), provider: 'mock', turnId, origin: 'user' },
      {
        session: uri,
        title: expect.any(String),
        provider: 'mock',
        turnId,
        kind: 'toolCall',
        toolCallId: expect.any(String),
      },
      expect.objectContaining({ kind: 'toolCall', approved: true }),
      { session: uri, title: expect.any(String), provider: 'mock', turnId, outcome: 'complete' },
    ]);
    expect(await stateOf()).toMatchObject({ waiting: 0 });
  });

  it('tell of the events that were asked for, and of none before', async () => {
    await until((await send('say early')).state, (state) => state?.turns.length === 1);
    await add({ events: ['turnEnded'], content: true });
    await send('say hello there');
    await expect.poll(types).toEqual(['turnEnded']);
    expect(receiver.events[0]?.message.data.text).toContain('hello there');
  });

  it('[WH1] come again until they are accepted, with the same id, in order', async () => {
    await add();
    const seen: unknown[] = [];
    let left = 6;
    receiver.answer = ({ headers }) => {
      seen.push(headers['webhook-id']);
      return left-- > 0 ? (left % 2 === 0 ? 'cut' : 503) : 200;
    };
    await send('say x');
    await expect.poll(types).toEqual(['turnStarted', 'turnEnded']);
    expect(new Set(seen.slice(0, 7)).size).toBe(1);
    expect(await stateOf()).not.toHaveProperty('failingSince');
  });

  it('[WH2] are not lost when the host ends', async () => {
    const { id } = await add();
    receiver.answer = () => 500;
    await send('say x');
    await expect.poll(async () => (await stateOf())?.failingSince).toBeGreaterThan(0);
    const kept = join(host.stateDir, 'webhooks', 'webhooks.json');
    expect((await stat(kept)).mode & 0o777).toBe(0o600);
    expect(await readFile(kept, 'utf8')).toContain(id);
    await host.host.close();
    await start(host.stateDir);
    expect(receiver.received).toEqual([]);
    receiver.answer = () => 200;
    await expect.poll(types).toEqual(['turnStarted', 'turnEnded']);
  });

  it('are disabled after a long failure, which is said; enabled again they begin anew', async () => {
    const { id } = await add();
    receiver.answer = () => 500;
    await send('say lost');
    await expect.poll(async () => (await stateOf())?.disabledAt).toBeGreaterThan(0);
    expect((await stateOf())?.problem).toContain('500');
    await expect
      .poll(async () => (await owner.devices.fetchAudit({ limit: 50 })).items.map(({ event }) => event))
      .toContain('webhookDisabled');
    receiver.answer = () => 200;
    await owner.webhooks.enable(id);
    const session = await send('say found');
    await expect.poll(types).toEqual(['turnStarted', 'turnEnded']);
    expect(new Set(receiver.events.map(({ message: { data } }) => data.session))).toEqual(new Set([session.uri]));
  });

  it('are disabled at once by a receiver that is gone', async () => {
    await add();
    receiver.answer = () => 410;
    await send('say x');
    await expect.poll(async () => (await stateOf())?.disabledAt).toBeGreaterThan(0);
    expect(receiver.attempts).toBe(1);
  });

  it('[WH3] are sent to no private address unless that was allowed', async () => {
    const urls = [
      ...[
        'http://127.0.0.1:1/',
        'https://127.0.0.1/',
        'https://10.0.0.1/',
        'https://[::1]/',
        'https://169.254.169.254/',
      ],
      ...[
        'https://localhost/',
        'https://[::ffff:10.0.0.1]/',
        'http://example.org/',
        'https://2130706433/',
        'file:///etc/passwd',
      ],
    ];
    for (const url of urls) {
      const refused = owner.webhooks.add({ url, events: ['turnEnded'] });
      await expect(refused, url).rejects.toThrow(/endpoint/);
    }
    await expect(add({ url: 'http://u:p@127.0.0.1/' })).rejects.toThrow('password');
    expect((await owner.webhooks.list()).items).toEqual([]);
  });

  it('[WH4] follow no redirect', async () => {
    const other = await WebhookReceiver.start();
    cleanups.push(() => other.close());
    receiver.answer = () => ({ status: 307, headers: { location: other.url } });
    const { id } = await add();
    expect(await owner.webhooks.test(id)).toEqual({ delivered: false, problem: expect.stringContaining('307') });
    await send('say x');
    await expect.poll(() => receiver.attempts).toBeGreaterThan(2);
    expect(other.attempts).toBe(0);
  });

  it('[WH5] are for owners, of their own space', async () => {
    const { id } = await add();
    for (const role of ['viewer', 'approver', 'driver'] as const) {
      const token = await host.host.deviceTokens.add(role, role);
      const client = await connectSoon(token);
      await expect(client.refusal('listWebhooks', {})).resolves.toMatchObject({ code: ERROR_CODE.permissionDenied });
    }
    const token = await host.host.deviceTokens.add('other', 'owner', 'other');
    const other = await connectSoon(token);
    expect(await other.request('listWebhooks', {})).toEqual({ items: [] });
    for (const method of ['testWebhook', 'enableWebhook', 'removeWebhook'] as const)
      expect(await other.refusal(method, { webhook: id })).toMatchObject({
        message: expect.stringContaining('no webhook'),
      });
    await other.request('createSession', { session: 'mock:/elsewhere', provider: 'mock' });
    await other.act({
      ...{ type: 'session/turnStarted', session: 'mock:/elsewhere', turnId: 't' },
      userMessage: { text: 'say x' },
    });
    const session = await send('say mine');
    await expect.poll(types).toEqual(['turnStarted', 'turnEnded']);
    expect(new Set(receiver.events.map(({ message: { data } }) => data.session))).toEqual(new Set([session.uri]));
  });

  it('[WH3] are sent nowhere when the name of an address resolves elsewhere later', async () => {
    const { id } = await add({ url: receiver.url.replace('127.0.0.1', 'localhost').replace('http:', 'https:') });
    await host.host.close();
    const kept = join(host.stateDir, 'webhooks', 'webhooks.json');
    const stored = JSON.parse(await readFile(kept, 'utf8'));
    delete stored.webhooks[0].allowPrivate;
    await writeFile(kept, JSON.stringify(stored));
    const connections = receiver.connections;
    await start(host.stateDir);
    expect(await owner.webhooks.test(id)).toMatchObject({ delivered: false });
    await send('say x');
    await expect.poll(async () => (await stateOf())?.problem).toContain('not on the public internet');
    expect(receiver.connections).toBe(connections);
  });

  it('are disabled when too many sessions wait', async () => {
    await host.host.close();
    await start(host.stateDir, { ...QUICK, waiting: 3, disableAfterMs: 60_000 });
    await add();
    receiver.answer = () => 500;
    for (let n = 0; n < 4; n++) await send('say x');
    await expect.poll(async () => (await stateOf())?.problem).toContain('3 sessions wait');
  });

  it('are tested and removed; what waits is dropped with them', async () => {
    const { id } = await add();
    expect(await owner.webhooks.test(id)).toEqual({ delivered: true });
    expect(JSON.stringify(await owner.webhooks.list())).not.toContain(receiver.secret.slice(6));
    expect(receiver.events[0]?.message).toMatchObject({ type: 'test', data: { webhook: id } });
    receiver.answer = () => 500;
    await send('say x');
    await expect.poll(() => receiver.attempts).toBeGreaterThan(3);
    await owner.webhooks.remove(id);
    const { attempts } = receiver;
    await send('say y');
    expect(receiver.attempts - attempts).toBeLessThanOrEqual(1);
    await expect(stat(join(host.stateDir, 'webhooks', `${id}.jsonl`))).rejects.toThrow('ENOENT');
  });

  it('are limited in number', async () => {
    for (let n = 0; n < 20; n++) await add();
    await expect(add()).rejects.toThrow('20 webhooks already');
  });

  async function connectSoon(token: string): Promise<RawClient> {
    let client: RawClient | undefined;
    await expect
      .poll(() =>
        RawClient.open({ url: host.url, token }).then(
          (raw) => (client = raw),
          () => undefined,
        ),
      )
      .toBeDefined();
    if (!client) throw new Error('not connected');
    cleanups.push(() => (client as RawClient).end());
    await client.request('initialize', { protocolVersion: 2, clientId: token.slice(0, 8), clientInfo: { name: 'x' } });
    return client;
  }
});
