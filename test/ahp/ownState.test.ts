import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AhpTestHost, ahpSession, ahpSubscribe, ahpTurn, startAhpHost } from '../support/ahpHost.js';

it('reserves sockets: one token takes a part of them', async () => {
  const host = await startAhpHost({ maxConnections: 4, maxConnectionsPerToken: 3 });
  try {
    const viewers = await Promise.all(Array.from({ length: 5 }, () => host.open('viewer')));
    await Promise.race(viewers.map(({ closed }) => closed.then(({ code }) => expect(code).toBe(1013))));
    await (await host.open('driver')).initialize('window', ['0.9.0']);
  } finally {
    await host.dispose();
  }
});

/** What AHP clients share among one another, and our host has no place for: the gateway alone can say whose it is. */
describe('the state of the gateway', () => {
  let host: AhpTestHost;
  beforeEach(async () => {
    host = await startAhpHost();
  });
  afterEach(() => host.dispose());

  async function shaken(role: Parameters<AhpTestHost['open']>[0], clientId: string) {
    const client = await host.open(role);
    await client.initialize(clientId, ['0.9.0']);
    return client;
  }

  const draft = (text: string) => ({ type: 'chat/draftChanged', draft: { text } });
  const config = { type: 'root/configChanged', config: { theme: 'dark' } };
  const active = (clientId: string) => ({
    type: 'session/activeClientSet',
    activeClient: { clientId, displayName: clientId, tools: [], customizations: [] },
  });

  it('can not be changed by a viewer', async () => {
    const driver = await shaken('driver', 'driver');
    const { session, chat, snapshots: first } = await ahpSession(driver);
    // Or it comes later, and counts as an action that the viewer caused.
    if (first.session.state.lifecycle === 'creating') await driver.action('session/ready');
    await driver.act(chat, draft('the driver writes'));
    const viewer = await shaken('viewer', 'viewer');
    const { snapshots } = await ahpSubscribe(viewer, session);
    const before = driver.received.length;
    const attempts: [string, object][] = [
      ['ahp-root://', config],
      [chat, draft('the viewer writes')],
      [chat, { type: 'chat/draftChanged' }],
      [chat, { type: 'chat/inputAnswerChanged', requestId: 'q', questionId: 'answer', answer: { state: 'draft' } }],
      [session, active('viewer')],
      [session, { type: 'session/configChanged', config: { mode: 'yolo' } }],
    ];
    for (const [channel, action] of attempts) {
      const { rejectionReason } = await viewer.act(channel, action);
      expect([action, rejectionReason]).toEqual([action, expect.stringContaining('(role viewer)')]);
    }
    await driver.request('ping');
    expect(driver.received.slice(before).filter(({ method }) => method === 'action')).toEqual([]);
    const again = await ahpSubscribe(await shaken('driver', 'another window'), session);
    expect(again.snapshots.chat.state.draft).toEqual({ text: 'the driver writes' });
    expect(again.snapshots.session.state.activeClients).toEqual([]);
    // The empty one that says the model, which every client gets.
    expect(snapshots.chat.state.draft).toMatchObject({ text: '' });
  });

  it('lets an approver answer, also in progress, but not write', async () => {
    const driver = await shaken('driver', 'driver');
    const { session, chat } = await ahpSession(driver);
    const [approver, viewer] = [await shaken('approver', 'approver'), await shaken('viewer', 'viewer')];
    await ahpSubscribe(approver, session);
    await ahpSubscribe(viewer, session);
    const answer = {
      type: 'chat/inputAnswerChanged',
      requestId: 'q',
      questionId: 'answer',
      answer: { state: 'draft' },
    };
    expect((await approver.act(chat, answer)).rejectionReason).toBeUndefined();
    expect((await driver.action('chat/inputAnswerChanged')).action).toEqual(answer);
    expect((await approver.act(chat, draft('written'))).rejectionReason).toContain('role driver');
    const long = { ...answer, answer: { state: 'draft', value: 'x'.repeat(100_000) } };
    expect((await approver.act(chat, long)).rejectionReason).toContain('too large');
    // A turn that all of them see: what was told before it has arrived by then.
    driver.dispatch(chat, ahpTurn('hello'));
    await viewer.action('chat/turnComplete');
    expect(viewer.received.filter(({ params }) => params?.action?.type === 'chat/inputAnswerChanged')).toEqual([]);
  });

  it('keeps each token’s draft private, and shares it among the windows of one token', async () => {
    const [ann, bob] = [await shaken('driver', 'ann'), await shaken('owner', 'bob')];
    const { session, chat } = await ahpSession(ann);
    await ahpSubscribe(bob, session);
    const second = await shaken('driver', 'second window');
    await ahpSubscribe(second, session);
    await ann.act(chat, draft('from Ann'));
    expect((await second.action('chat/draftChanged')).action.draft).toEqual({ text: 'from Ann' });
    expect((await bob.act(chat, draft('from Bob'))).rejectionReason).toBeUndefined();
    await bob.act(chat, { type: 'chat/draftChanged' });
    await bob.act(chat, draft('from Bob again'));
    for (const client of [ann, second, bob]) await client.request('ping');
    const told = (client: typeof ann) =>
      client.received.flatMap(({ params }) =>
        params?.action?.type === 'chat/draftChanged' ? [params.action.draft?.text] : [],
      );
    expect([told(ann), told(second)]).toEqual([['from Ann'], ['from Ann']]);
    expect(told(bob)).toEqual(['from Bob', undefined, 'from Bob again']);
    const later = await Promise.all(
      (['driver', 'owner'] as const).map(async (role) => ahpSubscribe(await shaken(role, `later ${role}`), session)),
    );
    expect(later.map(({ snapshots }) => snapshots.chat.state.draft)).toEqual([
      { text: 'from Ann' },
      { text: 'from Bob again' },
    ]);
  });

  it('lets no client be, or remove, the active client of another token with the same id', async () => {
    const [ann, bob] = [await shaken('driver', 'window'), await shaken('owner', 'window')];
    const { session } = await ahpSession(ann);
    await ahpSubscribe(bob, session);
    expect((await ann.act(session, active('window'))).rejectionReason).toBeUndefined();
    expect((await bob.act(session, active('window'))).rejectionReason).toContain('another client');
    const remove = { type: 'session/activeClientRemoved', clientId: 'window' };
    expect((await bob.act(session, remove)).rejectionReason).toBeDefined();
    bob.notify('unsubscribe', { channel: session });
    await bob.request('ping');
    const { snapshots } = await ahpSubscribe(await shaken('driver', 'later'), session);
    expect(snapshots.session.state.activeClients).toMatchObject([{ clientId: 'window' }]);
    expect((await ann.act(session, remove)).rejectionReason).toBeUndefined();
  });
});
