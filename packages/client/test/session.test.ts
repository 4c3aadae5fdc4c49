import { beforeEach, describe, expect, it } from 'vitest';
import {
  ActionRejectedError,
  ClientClosedError,
  LimitReachedError,
  SessionCreationError,
  SessionGoneError,
} from '../src/errors.js';
import type { HostClient } from '../src/hostClient.js';
import { connected } from './support/connected.js';
import { endedTurns, type FakeHost } from './support/fakeHost.js';
import { flush } from './support/flush.js';

const URI = 'shell:/one';
let fake: FakeHost;
let host: HostClient;

beforeEach(async () => {
  ({ fake, host } = await connected({ maxPendingActions: 5 }));
});

describe('creating', () => {
  it('generates a URI, sends both requests together, and resolves before the agent runs', async () => {
    const session = await host.createSession({ provider: 'shell', workingDirectory: 'file:///w' });
    expect(session.uri).toMatch(/^shell:\/[0-9a-f-]{36}$/);
    expect(session.state.value).toEqual(fake.stateOf(session.uri));
    expect(session.state.value.summary.workingDirectory).toBe('file:///w');
    expect(session.state.value.lifecycle).toBe('creating');
    let ready = false;
    const waiting = session.ready().then(() => {
      ready = true;
    });
    await flush();
    expect(ready).toBe(false);
    fake.dispatch(session.uri, { type: 'session/ready' });
    await waiting;
  });

  it('sends a first message when the session is ready', async () => {
    const session = await host.createSession({ provider: 'shell', session: URI });
    const sent = session.send('hello');
    await flush();
    expect(fake.requests('dispatchAction')).toEqual([]);
    fake.dispatch(URI, { type: 'session/ready' });
    const turnId = await sent;
    expect(fake.stateOf(URI).activeTurn?.id).toBe(turnId);
  });

  it('rejects with the reason why the agent did not start', async () => {
    const session = await host.createSession({ provider: 'shell', session: URI });
    const ready = session.ready();
    fake.dispatch(URI, { type: 'session/creationFailed', error: { errorType: 'x', message: 'no such shell' } });
    await expect(ready).rejects.toThrow(SessionCreationError);
    await expect(session.ready()).rejects.toThrow('no such shell');
  });

  it('rejects with the error of the host, and holds nothing', async () => {
    fake.addSession(URI);
    const failed = host.createSession({ provider: 'shell', session: URI });
    await expect(failed).rejects.toMatchObject({ name: 'CommandFailedError', code: -32003 });
    await flush();
    expect(fake.subscribers(URI)).toBe(0);
    await expect(host.createSession({ provider: 'no/provider' })).rejects.toThrow(RangeError);
  });

  it('forks', async () => {
    fake.addSession(URI, { turns: endedTurns(2) });
    const fork = await host.forkSession({ source: URI });
    expect(fork.uri).toMatch(/^shell:\//);
    expect(fork.state.value.turns).toHaveLength(2);
  });
});

describe('subscriptions', () => {
  it('are shared by two handles; the last one unsubscribes', async () => {
    fake.addSession(URI);
    const [one, two] = await Promise.all([host.openSession(URI), host.openSession(URI)]);
    const three = await host.openSession(URI);
    expect(fake.requests('subscribe')).toEqual([{ resource: URI }]);
    expect(one.state).toBe(three.state);
    one.close();
    one.dispose();
    two.close();
    await flush();
    expect(fake.subscribers(URI)).toBe(1);
    await expect(one.rename('x')).rejects.toThrow(ClientClosedError);
    await three.rename('still here');
    three.close();
    await flush();
    expect([fake.subscribers(URI), fake.requests('unsubscribe')]).toEqual([0, [{ resource: URI }]]);
    const again = await host.openSession(URI);
    expect([fake.subscribers(URI), again.state.value.summary.title]).toEqual([1, 'still here']);
  });

  it('stay until pending actions are answered', async () => {
    fake.addSession(URI);
    const session = await host.openSession(URI);
    fake.mute = true;
    const renamed = session.rename('last word');
    session.close();
    await flush();
    expect([fake.stateOf(URI).summary.title, fake.subscribers(URI)]).toEqual(['last word', 1]);
    fake.mute = false;
    const action = { type: 'session/titleChanged', session: URI, at: 1, title: 'last word' } as const;
    fake.sendRaw({ action, serverSeq: fake.serverSeq, origin: { clientId: 'me', clientSeq: 1 } });
    await renamed;
    await flush();
    expect(fake.subscribers(URI)).toBe(0);
  });

  it('closes a handle whose ready() waits', async () => {
    const session = await host.createSession({ provider: 'shell', session: URI });
    const ready = session.ready();
    session.close();
    await expect(ready).rejects.toThrow(ClientClosedError);
  });

  it('report a session that does not exist', async () => {
    await expect(host.openSession('shell:/none')).rejects.toThrow(SessionGoneError);
    await expect(host.openSession('shell:/none')).rejects.toThrow(SessionGoneError);
  });

  it('buffer envelopes that overtake the snapshot, and apply them once and in order', async () => {
    fake.addSession(URI);
    const opening = host.openSession(URI);
    const add = (id: string) =>
      fake.dispatch(URI, { type: 'session/pendingMessageSet', kind: 'queued', id, userMessage: { text: id } });
    // Before the request arrives; then between the answer and the turn in which the client looks at it.
    add('in the snapshot');
    for (let microtasks = 0; microtasks < 12; microtasks++) {
      add(`m${microtasks}`);
      await Promise.resolve();
    }
    const session = await opening;
    await flush();
    expect(session.state.value).toEqual(fake.stateOf(URI));
  });

  it('ignore envelopes that were seen', async () => {
    fake.addSession(URI);
    const session = await host.openSession(URI);
    fake.dispatch(URI, { type: 'session/pendingMessageSet', kind: 'queued', id: 'q', userMessage: { text: 'q' } });
    await flush();
    const envelope = {
      action: { type: 'session/titleChanged', session: URI, at: 1, title: 'old news' } as const,
      serverSeq: fake.serverSeq,
    };
    fake.sendRaw(envelope);
    fake.sendRaw({ ...envelope, serverSeq: fake.serverSeq - 1 });
    await flush();
    expect(session.confirmed.value).toEqual(fake.stateOf(URI));
    fake.sendRaw({ ...envelope, serverSeq: fake.serverSeq + 1 });
    await flush();
    expect(session.confirmed.value.summary.title).toBe('old news');
  });

  it('survive invalid frames', async () => {
    fake.addSession(URI);
    const session = await host.openSession(URI);
    fake.sendRaw({} as never);
    fake.sendRaw({ action: { type: 'session/from the future', session: URI }, serverSeq: 999_999 } as never);
    await session.rename('fine').catch(() => undefined);
    expect(host.connection.value.state).toBe('connected');
  });

  it('report a removed session', async () => {
    fake.addSession(URI);
    const session = await host.openSession(URI);
    fake.deaf = true;
    const renamed = session.rename('too late');
    fake.removeSession(URI);
    await expect(renamed).rejects.toThrow(SessionGoneError);
    expect(session.gone.value).toBeInstanceOf(SessionGoneError);
    expect(session.state.value).toBe(session.confirmed.value);
    await expect(session.send('x')).rejects.toThrow(SessionGoneError);
  });
});

describe('opening while a session is removed', () => {
  it('does not resolve with a session whose removal came right behind its state', async () => {
    fake.addSession(URI);
    fake.onAnswered = (method) => {
      if (method === 'subscribe') fake.removeSession(URI);
    };
    await expect(host.openSession(URI)).rejects.toThrow(SessionGoneError);
  });

  it('resolves with the session that took the place of a removed one', async () => {
    fake.onAnswered = (method) => {
      if (method === 'createSession') fake.notify({ type: 'notify/sessionRemoved', session: URI });
    };
    const session = await host.createSession({ provider: 'shell', session: URI });
    expect(session.gone.value).toBeUndefined();
    fake.dispatch(URI, { type: 'session/titleChanged', title: 'in step' });
    await flush();
    expect(session.confirmed.value).toEqual(fake.stateOf(URI));
  });
});

describe('acting', () => {
  it('shows a message at once and resolves when the host has accepted it', async () => {
    fake.addSession(URI);
    const session = await host.openSession(URI);
    const sent = session.send('npm test');
    expect(session.state.value.activeTurn).toMatchObject({ userMessage: { text: 'npm test' }, by: { clientId: 'me' } });
    expect(session.confirmed.value.activeTurn).toBeUndefined();
    await sent;
    expect(session.state.value).toBe(session.confirmed.value);
    expect(session.confirmed.value).toEqual(fake.stateOf(URI));
    expect(session.confirmed.value.activeTurn?.by?.name).toBe('as the host says');
    const [dispatched] = fake.requests('dispatchAction') as { clientSeq: number; action: object }[];
    expect(dispatched?.clientSeq).toBe(1);
    expect(dispatched?.action).not.toHaveProperty('by');
  });

  it('[WA3] rejects with the reason of the host, and reverts the prediction', async () => {
    fake.addSession(URI);
    const session = await host.openSession(URI);
    const refused = session.setModel('no such model');
    expect(session.state.value.summary.model).toBe('no such model');
    await expect(refused).rejects.toMatchObject({
      name: 'ActionRejectedError',
      reason: 'unknown model',
      action: { type: 'session/modelChanged' },
    });
    expect(session.state.value.summary.model).toBeUndefined();
    expect(session.state.value).toBe(session.confirmed.value);
  });

  it('dispatches every other client action', async () => {
    const customization = { uri: 'file:///c', displayName: 'c', kind: 'skill' as const };
    fake.addSession(URI, { customizations: [{ customization, enabled: false }] });
    const session = await host.openSession(URI);
    await session.send({ text: 'with more', attachments: [{ kind: 'text', label: 'l', data: 'd' }] });
    const one = await session.queue('one');
    const two = await session.queue('two');
    const steering = await session.steer('left');
    await session.editPending(one, 'ONE');
    await session.editPending(steering, 'right');
    await session.reorderQueue([two, one]);
    await session.removePending(steering);
    await session.rename('title');
    await session.setModel('m');
    await session.markRead();
    await session.archive();
    await session.toggleCustomization('file:///c', true);
    await session.dispatch({ type: 'session/isReadChanged', isRead: false });
    await session.cancel();
    const { turns, queuedMessages, steeringMessage, summary, customizations } = fake.stateOf(URI);
    expect(turns).toMatchObject([{ state: 'cancelled', userMessage: { text: 'with more' } }]);
    expect(queuedMessages?.map(({ userMessage }) => userMessage.text)).toEqual(['two', 'ONE']);
    expect(steeringMessage).toBeUndefined();
    expect(summary).toMatchObject({ title: 'title', model: 'm', isArchived: true, isRead: false });
    expect(customizations).toEqual([{ customization, enabled: true }]);
    expect(session.state.value).toEqual(fake.stateOf(URI));
    await expect(session.cancel()).rejects.toThrow('no active turn to cancel');
    await expect(session.editPending('none', 'x')).rejects.toThrow(ActionRejectedError);
    await expect(session.removePending('none')).rejects.toThrow('unknown pending message');
  });

  it('bounds pending actions', async () => {
    fake.addSession(URI);
    const session = await host.openSession(URI);
    fake.deaf = true;
    const waiting = Array.from({ length: 5 }, (_, i) => session.rename(`${i}`));
    await expect(session.rename('one more')).rejects.toThrow(LimitReachedError);
    expect(session.state.value.summary.title).toBe('4');
    host.close();
    for (const each of waiting) await expect(each).rejects.toThrow(ClientClosedError);
  });

  it('refuses an action that is larger than a frame', async () => {
    fake.addSession(URI);
    const session = await host.openSession(URI);
    const attachments = [{ kind: 'image' as const, label: 'big', data: 'x'.repeat(4 * 1024 * 1024) }];
    await expect(session.send({ text: 'see', attachments })).rejects.toThrow('larger than');
    expect(session.state.value.activeTurn).toBeUndefined();
  });
});

describe('actions', () => {
  it('are emitted once and in order, each with the states around it, without rejected ones', async () => {
    fake.addSession(URI);
    const session = await host.openSession(URI);
    const seen: { type: string; mine: boolean; title: string }[] = [];
    let last = session.confirmed.value;
    const listening = session.onAction(({ envelope, before, after }) => {
      expect(before).toBe(last);
      last = after;
      const mine = envelope.origin?.clientId === 'me';
      seen.push({ type: envelope.action.type, mine, title: after.summary.title });
    });
    await session.rename('mine');
    fake.dispatch(URI, { type: 'session/titleChanged', title: 'theirs' });
    await session.cancel().catch(() => undefined);
    await session.dispatch({ type: 'session/turnCancelled', turnId: 'none' }).catch(() => undefined);
    await session.rename('last');
    listening.dispose();
    await session.rename('unheard');
    expect(seen).toEqual([
      { type: 'session/titleChanged', mine: true, title: 'mine' },
      { type: 'session/titleChanged', mine: false, title: 'theirs' },
      { type: 'session/titleChanged', mine: true, title: 'last' },
    ]);
    expect(last.summary.title).toBe('last');
  });
});
