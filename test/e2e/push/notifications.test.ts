import type { PushMessage } from '@agenthost/protocol/internal';
import { SCHEMAS } from '@agenthost/protocol/schemas';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PushWorld, sessionOf, startPushWorld } from '../../support/push/pushWorld.js';
import { until } from '../../support/until.js';

let world: PushWorld;
beforeEach(async () => {
  world = await startPushWorld();
});
afterEach(() => world.dispose());

const isQuestion = ({ message }: { readonly message: PushMessage }) => message.kind === 'question';
const isClosed = ({ message }: { readonly message: PushMessage }) => message.kind === 'closed';
const isEnd = ({ message }: { readonly message: PushMessage }) => message.kind === 'finished';

describe('a session that needs input', () => {
  it('[PUSH1] is pushed once to each subscribed device that does not look at it', async () => {
    const phone = await world.add('phone', 'approver');
    const tablet = await world.add('tablet', 'viewer');
    const desk = await world.connect({ clientInfo: { name: 'Desk' } });
    const session = await sessionOf(desk, 'Fix the build');
    await session.send('confirm-tool');
    const { message, bytes, ttl, urgency, topic } = await phone.push.next(isQuestion);
    expect(SCHEMAS.PushMessage.parse(message)).toEqual(message);
    expect(message).toMatchObject({
      kind: 'question',
      session: session.uri,
      title: 'Fix the build',
      text: 'Run?\nmake',
      answer: { allow: true, deny: true, toolCallId: expect.any(String), turnId: expect.any(String) },
    });
    expect({ ttl, urgency, isSmall: bytes <= 3_072 }).toEqual({ ttl: 86_400, urgency: 'high', isSmall: true });
    expect(topic).toBe(message.tag);
    const seenByViewer = await tablet.push.next(isQuestion);
    expect(seenByViewer.message).not.toHaveProperty('answer');

    await session.pendingConfirmations.value[0]?.approve();
    await phone.push.next(isClosed);
    await tablet.push.next(isClosed);
    expect(phone.push.arrived.map(({ message: { kind } }) => kind)).toEqual(['question', 'closed']);
    expect(tablet.push.arrived.map(({ message: { kind } }) => kind)).toEqual(['question', 'closed']);
  });

  it('[PUSH2] is not pushed to the device that looks at it, and is to the others', async () => {
    const [phone, laptop] = [await world.add('phone', 'driver'), await world.add('laptop', 'driver')];
    const session = await sessionOf(phone.client);
    const shown = await laptop.client.openSession(session.uri);
    await phone.client.push.lookAt(undefined, phone.id);
    await laptop.client.push.lookAt(session.uri, laptop.id);
    await session.send('permission');
    await phone.push.next(isQuestion);
    await until(shown.pendingPermissions, (all) => all.length === 1);
    await shown.pendingPermissions.value[0]?.answer({ approved: false });
    const closed = await phone.push.next(isClosed);
    expect(closed.message).toMatchObject({ by: 'laptop' });
    expect(laptop.push.requests).toBe(0);

    // Another tab hides the page: now it is called.
    await laptop.client.push.lookAt(undefined, laptop.id);
    await session.send('permission');
    await laptop.push.next(isQuestion);
  });

  it('[PUSH1] [SPACE1] is not pushed to a device whose token sees another space', async () => {
    const phone = await world.add('phone', 'driver', 'needsInputAndFinished');
    const stranger = await world.add('stranger', 'owner', 'needsInputAndFinished', 'design');
    const session = await sessionOf(phone.client);
    await session.send('confirm-tool');
    await phone.push.next(isQuestion);
    await session.pendingConfirmations.value[0]?.approve();
    await phone.push.next(isEnd);
    const own = await sessionOf(stranger.client);
    await own.send('confirm-tool');
    await stranger.push.next(isQuestion);
    expect(stranger.push.arrived.map(({ message }) => message.session)).toEqual([own.uri]);
    expect(phone.push.arrived.every(({ message }) => message.session === session.uri)).toBe(true);
  });

  it('[PUSH2] nobody speaks for the device of another token', async () => {
    const [phone, stranger] = [await world.add('phone', 'driver'), await world.add('stranger', 'viewer')];
    const session = await sessionOf(phone.client);
    await phone.client.push.lookAt(undefined, phone.id);
    await stranger.client.openSession(session.uri);
    await stranger.client.push.lookAt(session.uri, phone.id);
    await session.send('permission');
    await phone.push.next(isQuestion);
  });

  it('[PUSH3] offers no answer for a question with choices, and only "no" for what it can not show whole', async () => {
    const phone = await world.add('phone', 'owner');
    const session = await sessionOf(phone.client);
    await phone.client.push.lookAt(undefined, phone.id);
    await session.send('question');
    expect((await phone.push.next(isQuestion)).message).not.toHaveProperty('answer');
    await session.cancel();
    await phone.push.next(isClosed);
    await session.send('confirm-long 4000');
    const long = await phone.push.next(({ message }) => isQuestion({ message }) && 'answer' in message);
    expect(long.message).toMatchObject({ answer: { deny: true } });
    expect(long.message).not.toHaveProperty('answer.allow');
    expect(long.bytes).toBeLessThanOrEqual(3_072);
  });

  it('[PUSH4] is answered with what the notification carries, once, and the loser is told by whom', async () => {
    const [phone, tablet] = [await world.add('phone', 'approver'), await world.add('tablet', 'approver')];
    const session = await sessionOf(await world.connect({}));
    await session.send('confirm-tool');
    const answers = [phone, tablet].map(async ({ push, client, id }) => {
      const { message } = await push.next(isQuestion);
      if (message.kind !== 'question' || !message.answer?.toolCallId) throw new Error('no answer');
      const { turnId, toolCallId } = message.answer;
      await client.push.lookAt(session.uri, id);
      const opened = await client.openSession(session.uri, { turns: 1 });
      await opened.dispatch({ type: 'session/toolCallConfirmed', turnId, toolCallId, approved: true });
    });
    const settled = await Promise.allSettled(answers);
    const lost = settled.filter((one) => one.status === 'rejected');
    expect(lost).toHaveLength(1);
    const winner = settled[0]?.status === 'fulfilled' ? 'phone' : 'tablet';
    expect(lost[0]?.reason).toMatchObject({ rejection: { by: { name: winner } } });
  });
});

describe('a session that is deleted', () => {
  it('[PUSH1] closes its questions', async () => {
    const phone = await world.add('phone', 'approver');
    const desk = await world.connect({});
    const session = await sessionOf(desk);
    await session.send('confirm-tool');
    const { message } = await phone.push.next(isQuestion);
    await desk.disposeSession(session.uri);
    expect((await phone.push.next(isClosed)).message.tag).toBe(message.tag);
  });
});

describe('a turn that ended', () => {
  it('[PUSH5] is pushed to who wants that, when nobody watched', async () => {
    const all = await world.add('phone', 'viewer', 'needsInputAndFinished');
    const few = await world.add('tablet', 'viewer', 'needsInput');
    const session = await sessionOf(await world.connect({}), 'Say hello');
    await session.send('hello');
    const { message, urgency, ttl } = await all.push.next(isEnd);
    expect(message).toMatchObject({ title: 'Say hello', text: 'Hello, world!', session: session.uri });
    expect({ urgency, ttl }).toEqual({ urgency: 'normal', ttl: 14_400 });
    await session.send('error');
    const failed = await all.push.next(
      ({ message: end }) => end.kind === 'finished' && end.text.startsWith('It stopped'),
    );
    expect(failed.message).toMatchObject({ text: 'It stopped: The mock agent was told to fail.' });
    expect(few.push.requests).toBe(0);
  });

  it('[PUSH5] [SHARE2] is pushed although somebody reads along with a read-only link', async () => {
    const phone = await world.add('phone', 'viewer', 'needsInputAndFinished');
    const session = await sessionOf(await world.connect({}), 'Say hello');
    const owner = await world.host.raw('owner');
    const params = { session: session.uri, validMs: 60_000 };
    const { token } = await owner.request<{ token: string }>('shareSession', params);
    const reader = await world.host.connect({ token });
    const read = await reader.openSession(session.uri);
    await session.send('hello');
    await until(read.confirmed, ({ turns }) => turns.length === 1);
    expect((await phone.push.next(isEnd)).message).toMatchObject({ title: 'Say hello' });
  });

  it('[PUSH5] is not pushed when somebody looked, by any device, or stopped it', async () => {
    const phone = await world.add('phone', 'viewer', 'needsInputAndFinished');
    const desk = await world.connect({});
    const session = await sessionOf(desk);
    await desk.push.lookAt(session.uri);
    await session.send('hello');
    await until(session.confirmed, ({ turns }) => turns.length === 1);
    await desk.push.lookAt(undefined);
    await session.send('slow');
    await session.cancel();
    await until(session.confirmed, ({ turns }) => turns.length === 2);
    // A program that does not say what its user sees shows what it has subscribed to.
    const program = await world.host.raw('program');
    await program.request('subscribe', { resource: session.uri });
    await until(session.confirmed, ({ clients }) => clients?.length === 1);
    await session.send('hello');
    await until(session.confirmed, ({ turns }) => turns.length === 3);
    await program.end();
    await until(session.confirmed, ({ clients = [] }) => clients.length === 0);
    await session.send('hello');
    await phone.push.next(isEnd);
    expect(phone.push.arrived).toHaveLength(1);
  });
});
