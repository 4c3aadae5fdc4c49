import { rm } from 'node:fs/promises';
import { createHostClient, type HostClient } from '@agenthost/client';
import { parseSessionUri } from '@agenthost/protocol';
import { AgentHostProvider, type ChatModel } from '@agenthost/sessions';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { FlakyStorage } from '../support/storage/flakyStorage.js';
import { startTcpProxy, type TcpProxy } from '../support/tcpProxy.js';
import { startTestHost, temporaryFolder } from '../support/testHost.js';
import { until } from '../support/until.js';

let proxy: TcpProxy;
let storage: FlakyStorage;
let host: HostClient;
let provider: AgentHostProvider;

beforeEach(async () => {
  const stateDir = await temporaryFolder();
  storage = new FlakyStorage(stateDir);
  proxy = await startTcpProxy();
  const test = await startTestHost({ stateDir, storage, sessionIdleMs: 20 }, { publicUrl: proxy.url });
  proxy.forwardTo(test.url);
  host = createHostClient({ url: proxy.url, token: test.token, random: () => 0.01 });
  provider = new AgentHostProvider(host);
  await host.connected();
  onTestFinished(async () => {
    provider.dispose();
    host.close();
    await test.dispose();
    await proxy.close();
    await rm(stateDir, { recursive: true, force: true });
  });
});

async function made(): Promise<{ readonly uri: string; open(): ChatModel }> {
  const session = await host.createSession({ provider: 'mock' });
  await session.ready();
  await session.rename('kept');
  session.close();
  const open = () => {
    const chat = provider.openChat(`${provider.id}:${session.uri}`);
    onTestFinished(() => chat.dispose());
    return chat;
  };
  return { uri: session.uri, open };
}

async function unreadable(uri: string): Promise<void> {
  const id = parseSessionUri(uri)?.sessionId ?? '';
  await storage.unloaded(id);
  storage.failing.set(id, 'EMFILE');
}

const interrupted = (chat: ChatModel, attempt = 1) =>
  until(chat.phase, (phase) => phase.state === 'interrupted' && phase.attempt >= attempt, 'the interruption');

describe('[REC3] a chat whose session the host can not load', () => {
  it('is interrupted after a reconnect, and open again when the host can load it', async () => {
    const { uri, open } = await made();
    const chat = open();
    await chat.opened();
    proxy.allow(false);
    proxy.cut();
    await until(host.connection, ({ state }) => state === 'reconnecting', 'the loss');
    await unreadable(uri);
    proxy.allow(true);
    chat.retryNow?.();
    const phase = await interrupted(chat);
    expect(phase).toMatchObject({ error: { message: expect.stringContaining('EMFILE: a hiccup') } });
    expect(chat.state.value?.summary.title).toBe('kept');
    const sent = chat.submit('hello');
    await interrupted(chat, 2);
    storage.failing.clear();
    chat.retryNow?.();
    await sent;
    expect(chat.phase.value).toEqual({ state: 'open' });
    await until(chat.confirmed, (state) => state?.turns.length === 1, 'the turn');
  });

  it('is interrupted when it is opened, keeps sent messages, and opens when the host can load it', async () => {
    const { uri, open } = await made();
    await unreadable(uri);
    const chat = open();
    await interrupted(chat, 2);
    expect(chat.state.value).toBeUndefined();
    const sent = chat.submit('hello');
    storage.failing.clear();
    chat.retryNow?.();
    await sent;
    expect(chat.phase.value).toEqual({ state: 'open' });
  });

  it('is gone when the host says so in the end', async () => {
    const { uri, open } = await made();
    await unreadable(uri);
    const chat = open();
    await interrupted(chat);
    storage.failing.clear();
    await host.disposeSession(uri);
    chat.retryNow?.();
    await until(chat.phase, ({ state }) => state === 'gone', 'gone');
    await expect(chat.submit('x')).rejects.toThrow('any more');
  });

  it('is not requested any more when it was closed', async () => {
    const { uri, open } = await made();
    await unreadable(uri);
    const chat = open();
    await interrupted(chat, 2);
    chat.dispose();
    await expect(chat.opened()).rejects.toThrow('was closed');
    const { opened } = storage;
    await host.ping();
    expect(storage.opened).toBe(opened);
  });
});
