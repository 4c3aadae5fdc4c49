import { createHostClient } from '@agenthost/client';
import { AgentHostProvider, type ChatModel } from '@agenthost/sessions';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../support/tcpProxy.js';
import { startTestHost, type TestHost } from '../support/testHost.js';
import { until } from '../support/until.js';

let proxy: TcpProxy;
let test: TestHost;
let provider: AgentHostProvider;

beforeEach(async () => {
  proxy = await startTcpProxy();
  test = await startTestHost({}, { publicUrl: proxy.url });
  proxy.forwardTo(test.url);
  const host = createHostClient({
    url: proxy.url,
    token: test.token,
    random: () => 0.01,
    clientInfo: { name: 'Mira' },
  });
  provider = new AgentHostProvider(host);
  await host.connected();
  onTestFinished(async () => {
    provider.dispose();
    host.close();
    await test.dispose();
    await proxy.close();
  });
});

async function open(query = 'hello'): Promise<ChatModel> {
  const untitled = await provider.createNewSession(provider.resolveWorkspace('file:///tmp'));
  const session = await provider.sendAndCreateChat(untitled.sessionId, { query });
  const chat = provider.openChat(session.mainChat.resource);
  onTestFinished(() => chat.dispose());
  return chat;
}

const turns = (count: number) => (state: ChatModel['confirmed']['value']) =>
  state?.turns.length === count && !state.activeTurn;

describe('an open chat', () => {
  it('opens automatically and shows its turns', async () => {
    const chat = await open('hello');
    const phases: string[] = [chat.phase.value.state];
    chat.phase.subscribe(({ state }) => phases.push(state));
    expect([chat.state.value, chat.confirmations.value]).toEqual([undefined, []]);
    await chat.opened();
    await until(chat.confirmed, turns(1), 'the turn');
    expect(phases).toEqual(['opening', 'open']);
    expect(chat.state.value?.turns[0]?.responseParts[0]).toMatchObject({ content: 'Hello, world!' });
  });

  it('sends, or queues while a turn runs; queued messages can be changed', async () => {
    const chat = await open('steer');
    await chat.opened();
    const first = await chat.submit('hello');
    const second = await chat.submit({ text: 'reasoning' });
    const queued = () => chat.state.value?.queuedMessages?.map(({ id, userMessage }) => [id, userMessage.text]);
    expect(queued()).toEqual([
      [first, 'hello'],
      [second, 'reasoning'],
    ]);
    await chat.reorderQueue([second, first]);
    await chat.editPending(first, 'usage');
    expect(queued()).toEqual([
      [second, 'reasoning'],
      [first, 'usage'],
    ]);
    await chat.removePending(second);
    await chat.steer('this way');
    await until(chat.confirmed, turns(2), 'both turns');
    expect(chat.state.value?.turns.map(({ userMessage }) => userMessage.text)).toEqual(['steer', 'usage']);
    await chat.submit('hello');
    await until(chat.confirmed, turns(3), 'the third');
  });

  it('does not lose a message to another client that was faster', async () => {
    const chat = await open('hello');
    await until(chat.confirmed, turns(1), 'the turn');
    const alice = await test.raw('alice');
    const session = chat.state.value?.summary.resource ?? '';
    alice.dispatch({ session, type: 'session/turnStarted', turnId: 't', userMessage: { text: 'hello' } });
    await chat.submit('usage');
    await until(chat.confirmed, turns(3), 'both turns');
  });

  it('shows its questions, and answers them', async () => {
    const chat = await open('confirm-tool');
    const [confirmation] = await until(chat.confirmations, (list) => list.length > 0, 'the confirmation');
    await confirmation?.approve();
    await until(chat.confirmed, turns(1), 'the turn');
    expect(chat.confirmations.value).toEqual([]);
    await chat.submit('permission');
    const [permission] = await until(chat.permissions, (list) => list.length > 0, 'the question');
    await permission?.answer({ approved: true, optionId: 'allow' });
    await until(chat.confirmed, turns(2), 'the second turn');
  });

  it('renames, archives, marks, sets the model, stops', async () => {
    const chat = await open('slow');
    await chat.opened();
    await chat.rename('Named');
    await chat.setModel('mock-large');
    await chat.archive();
    await chat.cancel();
    await chat.markRead(false);
    expect(chat.state.value?.summary).toMatchObject({
      title: 'Named',
      model: 'mock-large',
      isArchived: true,
      isRead: false,
      status: 'idle',
    });
    await expect(chat.cancel()).rejects.toThrow('refused');
  });

  it('loads older turns on demand, drops them, and fetches referenced content', async () => {
    const chat = await open('big-output 100000');
    await until(chat.confirmed, turns(1), 'the turn');
    for (let n = 2; n <= 6; n++) {
      await chat.submit('hello');
      await until(chat.confirmed, turns(n), `turn ${n}`);
    }
    const call = chat.state.value?.turns[0]?.toolCalls[0];
    const ref = call?.output?.ref;
    expect((await chat.fetchContent(ref?.uri ?? '', { range: { offset: 0, length: 10 } })).size).toBeGreaterThan(
      90_000,
    );
    chat.trimTurns(2);
    expect([chat.state.value?.turns.length, chat.state.value?.earlierTurns]).toEqual([2, 4]);
    expect(await chat.loadEarlierTurns(3)).toBe(3);
    const other = provider.openChat(chat.resource, { turns: 6 });
    await other.opened();
    expect([other.state.value?.turns.length, other.state.value?.earlierTurns]).toEqual([6, undefined]);
    other.dispose();
  });

  it('keeps offline actions and sends them once', async () => {
    const chat = await open('hello');
    await until(chat.confirmed, turns(1), 'the turn');
    proxy.allow(false);
    proxy.cut();
    await until(provider.status.connection, ({ state }) => state === 'reconnecting', 'the loss');
    const sent = chat.submit('usage');
    await until(chat.state, (state) => state?.activeTurn?.userMessage.text === 'usage', 'what was sent');
    expect(chat.confirmed.value?.activeTurn).toBeUndefined();
    proxy.allow(true);
    provider.status.retryNow();
    await sent;
    await until(chat.confirmed, turns(2), 'both turns');
  });

  it('stays connecting while there is no connection, and opens when there is one', async () => {
    const { resource } = await open('hello');
    proxy.allow(false);
    proxy.cut();
    await until(provider.status.connection, ({ state }) => state === 'reconnecting', 'the loss');
    const chat = provider.openChat(resource);
    expect(chat.phase.value).toEqual({ state: 'opening' });
    proxy.allow(true);
    provider.status.retryNow();
    await chat.opened();
    expect(chat.phase.value).toEqual({ state: 'open' });
    chat.dispose();
  });

  it('reports a removed session, and one that never existed', async () => {
    const chat = await open('hello');
    await until(chat.confirmed, turns(1), 'the turn');
    await provider.deleteSession(chat.resource);
    expect((await until(chat.phase, ({ state }) => state === 'gone', 'gone')).state).toBe('gone');
    expect(chat.state.value?.turns.length).toBe(1);
    await expect(chat.submit('x')).rejects.toThrow('any more');
    const never = provider.openChat('agenthost-local:mock:/never');
    await expect(never.opened()).rejects.toThrow('no session');
    expect(never.phase.value.state).toBe('gone');
    expect(() => provider.openChat('other:mock:/x')).toThrow('there is no chat');
    expect(() => provider.openChat('nonsense')).toThrow('no session id');
  });

  it('ends its subscription when it is disposed', async () => {
    const chat = await open('hello');
    await chat.opened();
    const session = chat.state.value?.summary.resource ?? '';
    const alice = await test.raw('alice');
    const names = async () => (await alice.stateOf(session)).clients?.map(({ name }) => name).toSorted();
    await alice.request('subscribe', { resource: session });
    await alice.nextAction(session, 'session/clientsChanged', ({ clients }) => clients.length === 2);
    chat.dispose();
    await alice.nextAction(session, 'session/clientsChanged', ({ clients }) => clients.length === 1);
    expect(await names()).toEqual(['alice']);
    await expect(chat.submit('x')).rejects.toThrow('closed');
  });

  it('measures the latency to the host', async () => {
    expect(await provider.status.measureLatency()).toBeGreaterThan(0);
  });
});
