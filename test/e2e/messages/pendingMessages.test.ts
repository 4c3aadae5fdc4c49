import type { HostClient, SessionHandle } from '@agenthost/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWithTwo, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

describe('pending messages', () => {
  let host: TestHost;
  let alice: HostClient;
  let bob: HostClient;

  beforeAll(async () => {
    ({ host, alice, bob } = await startWithTwo());
  });
  afterAll(() => host.dispose());

  async function newSession(): Promise<{ hers: SessionHandle; his: SessionHandle }> {
    const hers = await alice.createSession({ provider: 'mock' });
    await hers.ready();
    return { hers, his: await bob.openSession(hers.uri) };
  }

  const ended = (session: SessionHandle, count: number) =>
    until(session.confirmed, ({ turns, activeTurn }) => turns.length === count && !activeTurn, `${count} ended turns`);

  const running = (session: SessionHandle, id: string) =>
    until(session.confirmed, ({ activeTurn }) => activeTurn?.id === id, `the turn ${id}`);

  const texts = (session: SessionHandle) => session.confirmed.value.turns.map(({ userMessage }) => userMessage.text);

  it('[FATE1] queued while a turn runs: start in order after it was cancelled, each as the turn of its own id', async () => {
    const { hers, his } = await newSession();
    await hers.send('slow');
    const ids = [await hers.queue('one'), await his.queue('two'), await hers.queue('three')];
    await his.cancel();
    const { turns, queuedMessages } = await ended(hers, 4);
    expect(queuedMessages).toBeUndefined();
    expect(turns.map(({ id, userMessage, by, state }) => [id, userMessage.text, by?.name, state])).toEqual([
      [turns[0]?.id, 'slow', 'Alice', 'cancelled'],
      [ids[0], 'one', 'Alice', 'complete'],
      [ids[1], 'two', 'Bob', 'complete'],
      [ids[2], 'three', 'Alice', 'complete'],
    ]);
    await ended(his, 4);
    expect(his.confirmed.value.turns).toEqual(turns);
  });

  it('[FATE1] start after a completed turn', async () => {
    const { hers } = await newSession();
    await hers.send('confirm-tool');
    const [prompt] = await until(hers.pendingConfirmations, (prompts) => prompts.length === 1);
    await hers.queue('one');
    await hers.queue('two');
    await prompt?.approve();
    await ended(hers, 3);
    expect(texts(hers)).toEqual(['confirm-tool', 'one', 'two']);
  });

  it('queued while nothing runs: start at once', async () => {
    const { hers } = await newSession();
    const id = await hers.queue('at once');
    expect(await ended(hers, 1)).toMatchObject({
      turns: [{ id, userMessage: { text: 'at once' }, state: 'complete' }],
    });
  });

  it('queued before the session is ready: start when it is', async () => {
    const session = await alice.createSession({ provider: 'mock', config: { creationDelayMs: 100 } });
    await session.queue('early');
    expect(session.confirmed.value.turns).toEqual([]);
    await ended(session, 1);
    expect(texts(session)).toEqual(['early']);
  });

  it('wait after an error until a message is sent', async () => {
    const { hers } = await newSession();
    await hers.send('confirm-tool');
    await until(hers.pendingConfirmations, (prompts) => prompts.length === 1);
    await hers.queue('error');
    const waiting = await hers.queue('patient');
    await hers.cancel();
    const state = await ended(hers, 2);
    expect(state).toMatchObject({ summary: { status: 'error' }, queuedMessages: [{ id: waiting }] });
    // Whatever would start it by itself would have done so before a whole round trip is over.
    await alice.ping();
    expect(hers.confirmed.value.activeTurn).toBeUndefined();
    await hers.send('go on');
    await ended(hers, 4);
    expect(texts(hers)).toEqual(['confirm-tool', 'error', 'go on', 'patient']);
  });

  it('wait after an error until a message is queued', async () => {
    const { hers, his } = await newSession();
    await hers.send('slow');
    await hers.queue('error');
    await hers.queue('patient');
    await hers.cancel();
    await ended(hers, 2);
    await his.queue('more');
    await ended(hers, 4);
    expect(texts(hers)).toEqual(['slow', 'error', 'patient', 'more']);
  });

  it('are reordered, edited and removed', async () => {
    const { hers, his } = await newSession();
    await hers.send('slow');
    const [a, b, c, d] = [await hers.queue('a'), await hers.queue('b'), await hers.queue('c'), await hers.queue('d')];
    await his.reorderQueue([d, 'unknown', b]);
    await his.editPending(b, 'b, edited');
    await hers.removePending(a);
    await expect(hers.removePending(a)).rejects.toThrow('unknown pending message');
    await until(his.confirmed, ({ queuedMessages }) => queuedMessages?.length === 3, 'three messages');
    expect(his.confirmed.value.queuedMessages?.map(({ id, userMessage }) => [id, userMessage.text])).toEqual([
      [d, 'd'],
      [b, 'b, edited'],
      [c, 'c'],
    ]);
    await hers.cancel();
    await ended(hers, 4);
    expect(texts(hers)).toEqual(['slow', 'd', 'b, edited', 'c']);
  });

  it('an edit that crosses the start is refused, and the turn keeps its original message', async () => {
    const { hers, his } = await newSession();
    await hers.send('slow');
    const id = await hers.queue('slow as it was');
    await until(his.confirmed, ({ queuedMessages }) => queuedMessages?.length === 1, 'the message');
    const edit = (session: SessionHandle) =>
      session.dispatch({ type: 'session/pendingMessageSet', kind: 'queued', id, userMessage: { text: 'changed' } });
    await hers.cancel();
    await expect(edit(his)).rejects.toThrow('message is already in a turn');
    await running(his, id);
    await hers.cancel();
    await ended(his, 2);
    expect(texts(his)).toEqual(['slow', 'slow as it was']);
    await expect(edit(his)).rejects.toThrow('message is already in a turn');
    expect(his.state.value.queuedMessages).toBeUndefined();
  });

  it('[FATE1] steering is accepted by the running turn at its position', async () => {
    const { hers, his } = await newSession();
    await hers.send('steer');
    await until(his.confirmed, ({ activeTurn }) => (activeTurn?.responseParts.length ?? 0) > 0, 'the first words');
    const id = await his.steer('to the left');
    const { turns, steeringMessage, queuedMessages } = await ended(hers, 1);
    expect({ steeringMessage, queuedMessages }).toEqual({});
    expect(turns[0]?.responseParts).toMatchObject([
      { kind: 'markdown', content: 'Waiting to be steered. ' },
      { kind: 'steering', id, userMessage: { text: 'to the left' }, by: { name: 'Bob' } },
      { kind: 'markdown', content: 'Steered: to the left' },
    ]);
  });

  it('[FATE1] steering that no running turn accepts becomes the next turn, before the queue', async () => {
    const { hers, his } = await newSession();
    await hers.send('slow');
    await hers.queue('queued');
    const id = await his.steer('too late');
    await until(hers.confirmed, ({ steeringMessage }) => steeringMessage?.id === id, 'the steering message');
    await hers.cancel();
    const { turns } = await ended(hers, 3);
    expect(texts(hers)).toEqual(['slow', 'too late', 'queued']);
    expect(turns[1]).toMatchObject({ id, by: { name: 'Bob' } });
  });

  it('[FATE1] neither of two steering messages is lost', async () => {
    const { hers, his } = await newSession();
    await hers.send('slow');
    await Promise.all([hers.steer('first'), his.steer('second')]);
    await hers.cancel();
    await ended(hers, 3);
    expect(texts(hers).slice(1).toSorted()).toEqual(['first', 'second']);
  });

  it('[FATE1] many messages of two clients, some removed: each has exactly one fate', async () => {
    const { hers, his } = await newSession();
    await hers.send('slow');
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? hers : his).queue(`message ${n}`)),
    );
    await until(hers.confirmed, ({ queuedMessages }) => queuedMessages?.length === 40, 'all messages');
    const removed = new Set(sent.filter((_, n) => n % 5 === 0));
    await Promise.all([...removed].map((id) => hers.removePending(id)));
    await his.cancel();
    await ended(hers, 33);
    const started = hers.confirmed.value.turns.slice(1).map(({ id }) => id);
    expect(started.toSorted()).toEqual(sent.filter((id) => !removed.has(id)).toSorted());
  });
});
