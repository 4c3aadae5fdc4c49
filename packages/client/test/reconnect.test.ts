import { ERROR_CODE, PROTOCOL_VERSION, REJECTION } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../src/connect.js';
import { ActionRejectedError, SessionGoneError } from '../src/errors.js';
import type { HostClient } from '../src/hostClient.js';
import type { SessionHandle } from '../src/session/sessionHandle.js';
import { endedTurns, type FakeHost } from './support/fakeHost.js';
import { flush } from './support/flush.js';
import { INFO, openSession, reconnected, URI } from './support/openSession.js';

let fake: FakeHost;
let host: HostClient;
let session: SessionHandle;

beforeEach(async () => {
  ({ fake, host, session } = await openSession());
});

const dispatched = () =>
  (fake.requests('dispatchAction') as { clientSeq: number; action: { type: string; title?: string } }[]).map(
    ({ clientSeq, action }) => `${clientSeq} ${action.title ?? action.type}`,
  );
const queue = (id: string) => ({
  type: 'session/pendingMessageSet' as const,
  kind: 'queued' as const,
  id,
  userMessage: { text: id },
});

describe('resuming', () => {
  it('[ONCE2] sends actions from before and during the loss, in order, under the same numbers', async () => {
    fake.deaf = true;
    const before = session.rename('before');
    await flush();
    fake.drop();
    await flush();
    const during = session.rename('during');
    expect(session.state.value.summary.title).toBe('during');
    expect(host.connection.value).toMatchObject({ state: 'reconnecting', attempt: 1 });
    await reconnected(host);
    await Promise.all([before, during]);
    expect(dispatched()).toEqual(['1 before', '1 before', '2 during']);
    expect(fake.stateOf(URI).summary.title).toBe('during');
    expect(session.state.value).toBe(session.confirmed.value);
    await session.rename('after');
    expect(dispatched().at(-1)).toBe('3 after');
  });

  it('[ONCE2] does not let an action dispatched during the reconnect overtake waiting ones', async () => {
    fake.drop();
    await flush();
    const waited = session.queue('waited');
    let dispatched: Promise<string> | undefined;
    const watching = host.connection.subscribe(({ state }) => {
      if (state === 'connected') dispatched = session.queue('at once');
    });
    await reconnected(host);
    watching.dispose();
    await Promise.all([waited, dispatched]);
    expect(fake.stateOf(URI).queuedMessages?.map(({ userMessage }) => userMessage.text)).toEqual(['waited', 'at once']);
    expect(fake.requests('dispatchAction')).toHaveLength(2);
  });

  it('resumes where it stopped and applies what it missed', async () => {
    fake.dispatch(URI, queue('seen'));
    await flush();
    const lastSeen = fake.serverSeq;
    fake.mute = true;
    fake.dispatch(URI, queue('missed 1'));
    fake.changeAgents([]);
    fake.drop();
    fake.dispatch(URI, queue('missed 2'));
    await reconnected(host);
    expect(fake.requests('reconnect')).toEqual([
      {
        protocolVersion: PROTOCOL_VERSION,
        clientId: 'me',
        clientInfo: INFO,
        instanceId: 'first',
        lastSeenServerSeq: lastSeen,
        subscriptions: ['agenthost:root', URI],
      },
    ]);
    expect(session.state.value.queuedMessages?.map(({ id }) => id)).toEqual(['seen', 'missed 1', 'missed 2']);
    expect(host.root.state.value).toEqual(fake.root);
    fake.dispatch(URI, queue('live again'));
    await flush();
    expect(session.state.value.queuedMessages).toHaveLength(4);
  });

  it.each([
    ['a replay', () => {}],
    ['a snapshot of another instance', () => fake.restart()],
    ['a snapshot because too much was missed', () => fake.forgetReplay()],
  ])('[ONCE1] does not send an accepted action again when its echo was lost: %s', async (prepared, prepare) => {
    fake.mute = true;
    const queued = session.queue('once');
    queued.catch(() => undefined);
    const renamed = session.rename('once');
    await flush();
    expect(fake.stateOf(URI).queuedMessages).toHaveLength(1);
    fake.drop();
    prepare();
    await reconnected(host);
    // A snapshot has the last accepted number; whether earlier ones were refused is unknown.
    if (prepared === 'a replay') await queued;
    else await expect(queued).rejects.toMatchObject({ name: 'ConnectionLostError', sent: true });
    await renamed;
    expect(dispatched()).toHaveLength(2);
    expect(session.state.value).toBe(session.confirmed.value);
    expect(session.state.value.queuedMessages).toEqual(fake.stateOf(URI).queuedMessages);
  });

  it('[ONCE2] knows the outcome of each action when the host lists the accepted ones', async () => {
    fake.tellsEachAccepted = true;
    fake.mute = true;
    const queued = session.queue('once');
    const refused = session.dispatch({ type: 'session/turnCancelled', turnId: 'no such turn' });
    refused.catch(() => undefined);
    const renamed = session.rename('once');
    await flush();
    fake.drop();
    fake.restart();
    await reconnected(host);
    await queued;
    await expect(refused).rejects.toMatchObject({ name: 'ActionRejectedError' });
    await renamed;
    expect(dispatched()).toHaveLength(3);
    expect(session.state.value).toBe(session.confirmed.value);
  });

  it('[ONCE2] learns the outcome of an action whose handle was closed before the answer came', async () => {
    fake.mute = true;
    const renamed = session.rename('last word');
    session.close();
    await flush();
    fake.drop();
    await reconnected(host);
    await renamed;
    await flush();
    expect([dispatched(), fake.subscribers(URI)]).toEqual([['1 last word'], 0]);
  });

  it('replaces the states after a restart, and keeps pending actions on top', async () => {
    fake.deaf = true;
    const renamed = session.rename('mine');
    await flush();
    fake.restart();
    fake.dispatch(URI, queue('of the new instance'));
    await flush();
    const titles: string[] = [];
    session.state.subscribe(({ summary }) => titles.push(summary.title));
    await reconnected(host);
    await renamed;
    expect(new Set(titles)).toEqual(new Set(['mine']));
    expect(session.state.value).toEqual({ ...fake.stateOf(URI), turns: session.state.value.turns, earlierTurns: 20 });
    await session.rename('goes on');
    expect(fake.stateOf(URI).summary.title).toBe('goes on');
    fake.drop();
    await reconnected(host);
    expect(fake.requests('reconnect').at(-1)).toMatchObject({
      instanceId: 'second',
      lastSeenServerSeq: fake.serverSeq,
    });
  });

  it('[VAL2] reports a rejection after the reconnect', async () => {
    fake.deaf = true;
    const refused = expect(session.setModel('no such model')).rejects.toThrow('unknown model');
    await flush();
    fake.drop();
    await reconnected(host);
    await refused;
    expect(session.state.value).toBe(session.confirmed.value);
  });

  it('reports that a rejection was lost when a later action was accepted', async () => {
    fake.mute = true;
    const refused = session.setModel('no such model');
    const accepted = session.rename('accepted');
    await flush();
    fake.drop();
    const outcome = expect(refused).rejects.toThrow(ActionRejectedError);
    await reconnected(host);
    await Promise.all([outcome, accepted]);
    expect(dispatched()).toHaveLength(2);
    expect(session.state.value).toBe(session.confirmed.value);
  });

  it('marks a missing session as gone, and keeps the others', async () => {
    fake.addSession('shell:/two');
    const two = await host.openSession('shell:/two');
    fake.deaf = true;
    const renamed = session.rename('too late');
    await flush();
    fake.drop();
    fake.sessions.delete(URI);
    const outcome = expect(renamed).rejects.toThrow(SessionGoneError);
    await reconnected(host);
    await outcome;
    expect(session.gone.value?.session).toBe(URI);
    expect(session.state.value.summary.title).toBe('');
    expect(two.gone.value).toBeUndefined();
    await two.rename('fine');
    await expect(host.openSession(URI)).rejects.toThrow(SessionGoneError);
    fake.addSession(URI);
    expect((await host.openSession(URI)).gone.value).toBeUndefined();
  });

  it('reports that lists may be stale', async () => {
    const events: string[] = [];
    host.onNotification(({ type }) => events.push(type));
    fake.notify({ type: 'notify/progress', token: 't', message: 'm' });
    await flush();
    fake.drop();
    await reconnected(host);
    expect(events).toEqual(['notify/progress', 'client/listsStale']);
  });

  it('does not resume sessions that were closed meanwhile, even during the handshake', async () => {
    fake.drop();
    await flush();
    fake.silent.add('reconnect');
    host.retryNow();
    await flush();
    session.close();
    fake.silent.clear();
    fake.drop();
    await reconnected(host);
    expect(fake.subscribers(URI)).toBe(0);
  });

  it('unsubscribes when the last handle is closed during the handshake', async () => {
    fake.drop();
    await flush();
    const off = host.connection.subscribe(() => {});
    host.retryNow();
    // The request is on its way and names the session.
    while (fake.requests('reconnect').length === 0) await Promise.resolve();
    session.close();
    await flush();
    off.dispose();
    expect(host.connection.value.state).toBe('connected');
    expect(fake.subscribers(URI)).toBe(0);
  });

  it('resumes with the newest number when it is lost again during the handshake', async () => {
    fake.mute = true;
    fake.dispatch(URI, queue('missed'));
    fake.drop();
    await flush();
    fake.mute = true;
    host.retryNow();
    await flush();
    fake.drop();
    await reconnected(host);
    expect(session.state.value.queuedMessages).toHaveLength(1);
    expect(fake.requests('reconnect')).toHaveLength(2);
  });
});

describe('a host that refuses to resume', () => {
  beforeEach(() => void fake.refuse.set('reconnect', new RpcError(ERROR_CODE.notFound, 'unknown client')));

  it('gets a new initialize; pending actions are kept and sent', async () => {
    fake.deaf = true;
    const renamed = session.rename('kept');
    await flush();
    fake.drop();
    fake.dispatch(URI, queue('missed'));
    await reconnected(host);
    await renamed;
    expect(fake.requests('initialize')).toHaveLength(2);
    expect(fake.stateOf(URI).summary.title).toBe('kept');
    expect(session.state.value.queuedMessages).toHaveLength(1);
    expect(dispatched()).toEqual(['1 kept', '1 kept']);
  });

  it('[ONCE3] reports that a repeated action was accepted before', async () => {
    fake.mute = true;
    const queued = session.queue('once');
    await flush();
    fake.drop();
    await reconnected(host);
    await queued;
    expect(dispatched()).toHaveLength(2);
    expect(fake.stateOf(URI).queuedMessages).toHaveLength(1);
    expect(session.state.value).toBe(session.confirmed.value);
  });

  it('[ONCE4] is not sent actions again that its snapshot lists as accepted', async () => {
    fake.tellsEachAccepted = true;
    fake.mute = true;
    const queued = session.queue('once');
    const refused = session.dispatch({ type: 'session/turnCancelled', turnId: 'no such turn' });
    refused.catch(() => undefined);
    const renamed = session.rename('once');
    await flush();
    fake.drop();
    await reconnected(host);
    await Promise.all([queued, renamed, expect(refused).rejects.toThrow(ActionRejectedError)]);
    expect(dispatched()).toHaveLength(3);
    expect(session.state.value).toBe(session.confirmed.value);
  });

  it('[ONCE1] settles earlier accepted actions by a later answer, as with older hosts', async () => {
    fake.answersRepeats = false;
    fake.mute = true;
    const queued = session.queue('once');
    await flush();
    fake.drop();
    await reconnected(host);
    await session.rename('later');
    await queued;
    expect(fake.stateOf(URI).queuedMessages).toHaveLength(1);
    expect(session.state.value).toBe(session.confirmed.value);
  });

  it('reports which sessions are gone', async () => {
    fake.drop();
    fake.sessions.delete(URI);
    await reconnected(host);
    expect(session.gone.value).toBeInstanceOf(SessionGoneError);
  });

  it('is asked again when it was only too busy', async () => {
    fake.refuse.set('reconnect', new RpcError(ERROR_CODE.tooManyRequests, 'busy'));
    fake.drop();
    await flush();
    host.retryNow();
    await flush();
    expect(host.connection.value).toMatchObject({ state: 'reconnecting', attempt: 2 });
    fake.refuse.clear();
    await reconnected(host);
    expect(fake.requests('initialize')).toHaveLength(1);
  });
});

describe('a client whose id was used before', () => {
  it('[ONCE4] continues above what each session has accepted of it', async () => {
    fake.tellsEachAccepted = true;
    await session.rename('1');
    await session.rename('2');
    host.close();
    const again = await connect({ transport: fake.transport, clientId: 'me', keepAliveMs: 0 });
    onTestFinished(() => again.close());
    fake.addSession('shell:/two');
    const two = await again.openSession('shell:/two');
    await two.rename('first of the second');
    const one = await again.openSession(URI);
    await one.rename('3');
    await two.rename('second of the second');
    expect(dispatched()).toEqual(['1 1', '2 2', '1 first of the second', '3 3', '4 second of the second']);
  });

  it.each([
    ['the code', { rejectionReason: 'in other words', rejection: { code: 'clientSeqForgotten' } }],
    ['the text of an older host', { rejectionReason: `${REJECTION.clientSeqForgotten}: continue above 300` }],
  ])('[ONCE3] reports an unknown outcome for a number that the host has forgotten, by %s', async (_, refusal) => {
    fake.deaf = true;
    const lost = session.rename('lost');
    await flush();
    const origin = { clientId: 'me', clientSeq: 1 };
    const action = { type: 'session/titleChanged', session: URI, at: 1, title: 'lost' } as const;
    fake.sendRaw({ action, serverSeq: fake.serverSeq, origin, ...refusal });
    await expect(lost).rejects.toMatchObject({ name: 'ConnectionLostError', sent: true });
    expect(session.state.value).toBe(session.confirmed.value);
  });

  it('[VAL8] rejects with the code that the host sent, also one that this client does not know', async () => {
    fake.deaf = true;
    const refused = session.rename('refused');
    await flush();
    const origin = { clientId: 'me', clientSeq: 1 };
    const action = { type: 'session/titleChanged', session: URI, at: 1, title: 'refused' } as const;
    const rejection = { code: 'fromTheFuture', by: { clientId: 'bob' }, detail: 'more' };
    fake.sendRaw({ action, serverSeq: fake.serverSeq, origin, rejectionReason: 'unknown session', rejection });
    await expect(refused).rejects.toMatchObject({ name: 'ActionRejectedError', rejection, reason: 'unknown session' });
  });

  it('[ONCE3] does not apply what is said to be repeated, whatever number it has', async () => {
    await session.rename('mine');
    const title = { type: 'session/titleChanged', session: URI, at: 1, title: 'old' } as const;
    fake.sendRaw({
      action: title,
      serverSeq: fake.serverSeq + 5,
      origin: { clientId: 'me', clientSeq: 1 },
      repeated: true,
    });
    await flush();
    expect(session.confirmed.value.summary.title).toBe('mine');
    fake.dispatch(URI, { type: 'session/titleChanged', title: 'goes on' });
    await flush();
    expect(session.confirmed.value.summary.title).toBe('goes on');
  });
});

describe('loaded turns', () => {
  it('stay when they join the snapshot', async () => {
    await session.loadEarlierTurns(100);
    fake.restart();
    await reconnected(host);
    expect(session.state.value).toEqual(fake.stateOf(URI));
  });

  it('are dropped and counted when they do not', async () => {
    await session.loadEarlierTurns(5);
    fake.drop();
    fake.addSession(URI, { turns: endedTurns(200) });
    fake.restart();
    await reconnected(host);
    expect([session.state.value.turns[0]?.id, session.state.value.earlierTurns]).toEqual(['t170', 170]);
  });
});
