import { createHostClient } from '@agenthost/client';
import { AgentHostProvider, type UnsentMessage, UnsentMessages } from '@agenthost/sessions';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { memoryStorage } from '../../packages/sessions/src/sessionsStorage.js';
import type { TestHost } from '../support/testHost.js';
import { until } from '../support/until.js';
import { testHost } from './support/providers.js';

let test: TestHost;
beforeEach(async () => {
  test = await testHost();
});

/** A page: it is opened on what an earlier one has left. */
function page(unsent: UnsentMessages, onUnsendable?: (message: UnsentMessage, error: unknown) => void) {
  const host = createHostClient({ url: test.url, token: test.token, clientInfo: { name: 'Mira' } });
  const provider = new AgentHostProvider(host, { unsent, ...(onUnsendable && { onUnsendable }) });
  onTestFinished(() => {
    provider.dispose();
    host.close();
  });
  return { host, provider };
}

async function session() {
  const client = await test.connect();
  const made = await client.createSession({ provider: 'mock' });
  await made.ready();
  const texts = () => made.confirmed.value.turns.map(({ userMessage }) => userMessage.text);
  const idle = (count: number) =>
    until(made.confirmed, ({ turns, activeTurn }) => turns.length === count && !activeTurn, `${count} turns`);
  return { client, made, texts, idle, resource: `agenthost-local:${made.uri}` };
}

const left = (resource: string, id: string, text: string, kind: UnsentMessage['kind'] = 'send'): UnsentMessage => ({
  resource,
  id,
  kind,
  message: { text },
});

describe('unsent messages of an earlier page', () => {
  it('are sent once, whether the host had them or not, by any number of pages', async () => {
    const { made, texts, idle, resource } = await session();
    await made.send('known', 'id of known');
    await idle(1);
    const storage = memoryStorage();
    const before = new UnsentMessages(storage);
    before.add(left(resource, 'id of known', 'known'));
    before.add(left(resource, 'id of new', 'new'));
    const stores = [new UnsentMessages(storage), new UnsentMessages(storage)];
    for (const store of stores) page(store);
    await idle(2);
    for (const store of stores) await until(store.of(resource), (list) => list.length === 0, 'an empty outbox');
    expect(texts()).toEqual(['known', 'new']);
    expect(new UnsentMessages(storage).all()).toEqual([]);
  });

  it('that were to steer an ended turn become a turn', async () => {
    const { texts, idle, resource } = await session();
    const store = new UnsentMessages();
    store.add(left(resource, 'late', 'too late to steer', 'steer'));
    page(store);
    await idle(1);
    expect(texts()).toEqual(['too late to steer']);
  });

  it('are returned when the host refuses them', async () => {
    const { made, client, resource } = await session();
    await client.disposeSession(made.uri);
    const store = new UnsentMessages();
    store.add(left(resource, 'gone', 'nowhere to go'));
    const { promise, resolve } = Promise.withResolvers<UnsentMessage>();
    page(store, resolve);
    expect((await promise).message.text).toBe('nowhere to go');
    expect(store.all()).toEqual([]);
  });

  it('stay when the page is closed before the host has answered', async () => {
    const { resource, idle, texts } = await session();
    const storage = memoryStorage();
    const { host, provider } = page(new UnsentMessages(storage));
    const chat = provider.openChat(resource);
    const sending = chat.submit('cut short', 'cut');
    host.close();
    await expect(sending).rejects.toThrow();
    expect(new UnsentMessages(storage).has('cut')).toBe(true);
    page(new UnsentMessages(storage));
    await idle(1);
    expect(texts()).toEqual(['cut short']);
  });
});

describe('a late answer', () => {
  it('learns who was faster, and their decision', async () => {
    const { made, resource } = await session();
    const { provider } = page(new UnsentMessages());
    const chat = provider.openChat(resource);
    await made.send('confirm-tool');
    const [mine] = await until(chat.confirmations, (list) => list.length > 0, 'the question');
    const { pendingConfirmations } = made;
    await until(pendingConfirmations, (list) => list.length > 0, 'the question of the other');
    await pendingConfirmations.value[0]?.deny();
    const late = chat.confirm(mine?.turnId ?? '', mine?.toolCall.toolCallId ?? '', { approved: true });
    await expect(late).rejects.toMatchObject({ name: 'AnsweredElsewhereError', outcome: 'denied' });
    chat.dispose();
  });
});
