import type { HostClient } from '@agenthost/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawClient } from '../../support/rawClient.js';
import { rawSession, startWithTwo, startWithTwoRaw, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

describe('two clients, one session', () => {
  let host: TestHost;
  let alice: HostClient;
  let bob: HostClient;

  beforeAll(async () => {
    ({ host, alice, bob } = await startWithTwo());
  });
  afterAll(() => host.dispose());

  it('see the same states in the same order, and who asked', async () => {
    const hers = await alice.createSession({ provider: 'mock' });
    await hers.ready();
    const his = await bob.openSession(hers.uri);
    const seen = { hers: [] as unknown[], his: [] as unknown[] };
    hers.confirmed.subscribe((state) => seen.hers.push(state.activeTurn ?? state.turns.at(-1)));
    his.confirmed.subscribe((state) => seen.his.push(state.activeTurn ?? state.turns.at(-1)));
    await hers.send('hello');
    const [mine, theirs] = await Promise.all([
      until(hers.confirmed, (state) => state.turns.length === 1, 'her turn'),
      until(his.confirmed, (state) => state.turns.length === 1, 'his turn'),
    ]);
    expect(theirs.turns).toEqual(mine.turns);
    expect(mine.turns[0]).toMatchObject({
      state: 'complete',
      by: { name: 'Alice' },
      responseParts: [{ content: 'Hello, world!' }],
    });
    expect(seen.his).toEqual(seen.hers.slice(-seen.his.length));
  });

  it('the sender sees its own action before the echo, and its reversal with the reason', async () => {
    const session = await alice.createSession({ provider: 'mock' });
    await session.ready();
    const sent = session.send('slow', 't1');
    expect(session.state.value.activeTurn?.userMessage.text).toBe('slow');
    expect(session.confirmed.value.activeTurn).toBeUndefined();
    await sent;
    expect(session.confirmed.value.activeTurn?.id).toBe('t1');

    const his = await bob.openSession(session.uri);
    const title = his.state.value.summary.title;
    const refused = his.setModel('no-such-model');
    expect(his.state.value.summary.model).toBe('no-such-model');
    await expect(refused).rejects.toThrow('unknown model');
    expect(his.state.value.summary).toMatchObject({ title });
    expect(his.state.value.summary.model).toBeUndefined();
    expect(his.state.value).toBe(his.confirmed.value);
    await session.cancel();
  });
});

const POLL = { timeout: 20_000 };

describe('two sockets', () => {
  let host: TestHost;
  let alice: RawClient;
  let bob: RawClient;

  beforeAll(async () => {
    ({ host, alice, bob } = await startWithTwoRaw());
  });
  afterAll(() => host.dispose());

  const start = (session: string, text: string) => ({
    session,
    type: 'session/turnStarted',
    turnId: crypto.randomUUID(),
    userMessage: { text },
  });

  it('[ENV1] get the same envelopes in the same order, with rising numbers, whichever acts', async () => {
    const session = await rawSession([alice, bob]);
    const from = alice.received.length;
    alice.dispatch(start(session, 'confirm-tool'));
    const { toolCall, turnId } = await bob.nextAction(session, 'session/toolStart');
    const { toolCallId } = toolCall;
    bob.dispatch({ session, type: 'session/toolCallConfirmed', turnId, toolCallId, approved: true });
    for (const client of [alice, bob]) client.dispatch({ session, type: 'session/titleChanged', title: 'both' });
    await Promise.all([alice, bob].map((client) => client.nextAction(session, 'session/turnComplete')));
    await Promise.all([alice.fence(), bob.fence()]);
    const envelopes = (client: RawClient, index = 0) =>
      client.received.slice(index).flatMap(({ params }) => (params?.envelope ? [params.envelope] : []));
    const hers = envelopes(alice, from);
    const first = hers[0]?.serverSeq ?? 0;
    expect(envelopes(bob).filter(({ serverSeq }) => serverSeq >= first)).toEqual(hers);
    expect(hers.filter(({ origin }) => origin).map(({ action, origin }) => [origin?.clientId, action.type])).toEqual(
      expect.arrayContaining([
        ['alice', 'session/turnStarted'],
        ['bob', 'session/toolCallConfirmed'],
        ['alice', 'session/titleChanged'],
        ['bob', 'session/titleChanged'],
      ]),
    );
    const numbers = hers.map(({ serverSeq }) => serverSeq);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });

  it('the sender gets only its echo when it is not subscribed', async () => {
    const session = await rawSession([alice]);
    const clientSeq = bob.dispatch({ session, type: 'session/titleChanged', title: 'from outside' });
    const echo = await bob.echo(clientSeq);
    expect(echo).toMatchObject({ action: { title: 'from outside' }, origin: { clientId: 'bob', clientSeq } });
    alice.dispatch({ session, type: 'session/titleChanged', title: 'from inside' });
    await alice.nextAction(session, 'session/titleChanged', ({ title }) => title === 'from inside');
    await bob.fence();
    const ofSession = bob.envelopes.filter(({ action }) => 'session' in action && action.session === session);
    expect(ofSession).toEqual([echo]);
  });

  it('[VAL2] a rejection reaches only its sender', async () => {
    const session = await rawSession([alice, bob]);
    const heard = bob.envelopes.length;
    const { rejectionReason } = await alice.act({ session, type: 'session/modelChanged', model: 'none' });
    expect(rejectionReason).toBe('unknown model');
    await bob.fence();
    expect(bob.envelopes.slice(heard)).toEqual([]);
  });

  it('[ENV2] the host stamps author and time, whatever the client claims', async () => {
    const session = await rawSession([alice, bob]);
    const before = Date.now();
    const claim = { by: { clientId: 'root', name: 'The boss', device: 'Mars' }, at: 4_102_444_800_000 };
    alice.dispatch({ ...start(session, 'hello'), ...claim });
    const { by, at } = await bob.nextAction(session, 'session/turnStarted');
    expect(by).toEqual({ clientId: 'alice', name: 'alice' });
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
    await bob.nextAction(session, 'session/turnComplete');
    expect((await bob.stateOf(session)).turns).toMatchObject([{ by: { clientId: 'alice' }, startedAt: at }]);
  });

  it('presence follows subscribing, unsubscribing and disconnecting', async () => {
    const session = await rawSession([alice, bob]);
    const present = (...names: string[]) =>
      alice.nextAction(
        session,
        'session/clientsChanged',
        ({ clients }) => clients.map(({ clientId }) => clientId).join() === names.join(),
      );
    bob.notify('unsubscribe', { resource: session });
    await present('alice');
    const carol = await host.raw('carol');
    expect((await carol.stateOf(session)).clients).toMatchObject([{ clientId: 'alice' }]);
    await present('alice', 'carol');
    await carol.end();
    await present('alice');
    const heard = bob.envelopes.length;
    await alice.act({ session, type: 'session/titleChanged', title: 'not for Bob' });
    await bob.fence();
    expect(bob.envelopes.slice(heard)).toEqual([]);
  });

  it('presence counts who looks at the session, not who is only subscribed to it', async () => {
    const [session, other] = [await rawSession([alice, bob]), await rawSession([alice, bob])];
    // The last that Alice heard: the two sessions tell their changes in any order.
    const present = (uri: string, names: string) =>
      expect
        .poll(() => {
          const last = alice.envelopes.findLast(
            ({ action }) => action.type === 'session/clientsChanged' && action.session === uri,
          )?.action;
          return last?.type === 'session/clientsChanged' && last.clients.map(({ clientId }) => clientId).join();
        }, POLL)
        .toBe(names);
    // A page with its list of questions open: it shows one session and follows both.
    await bob.request('lookAt', { session: other });
    await present(session, 'alice');
    await bob.request('lookAt', { session });
    await Promise.all([present(session, 'alice,bob'), present(other, 'alice')]);
    // Its window is hidden.
    await bob.request('lookAt', {});
    await present(session, 'alice');
    const carol = await host.raw('carol');
    await carol.request('lookAt', { session: other });
    await carol.stateOf(session);
    await carol.stateOf(other);
    await present(other, 'alice,carol');
    expect((await carol.stateOf(session)).clients).toMatchObject([{ clientId: 'alice' }]);
    // To say that one looks at a session shows nobody there without a subscription.
    await bob.request('lookAt', { session });
    await present(session, 'alice,bob');
    bob.notify('unsubscribe', { resource: session });
    await present(session, 'alice');
  });
});
