import type { SessionState, Snapshot } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RawClient } from '../../../../test/support/rawClient.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTestHost, type TestHost } from '../../../../test/support/testHost.js';

const postgres = postgresOfFile();

let [one, two]: TestHost[] = [];
let [alice, bob]: RawClient[] = [];
let session: string;

/** Alice is at the host that owns the session, Bob at another. */
beforeEach(async () => {
  const database = await postgres.server.newDatabase();
  one = await startTestHost({ database, leaseMs: 2_000 });
  two = await startTestHost({ database, leaseMs: 2_000 });
  alice = await one.raw('alice');
  bob = await two.raw('bob');
  session = `mock:/${crypto.randomUUID()}`;
  await alice.request('createSession', { session });
  await subscribed(alice);
  await subscribed(bob);
});
afterEach(async () => {
  await two?.dispose();
  await one?.dispose();
});

async function subscribed(client: RawClient): Promise<SessionState> {
  const { state } = await client.request<Snapshot>('subscribe', { resource: session });
  if ((state as SessionState).lifecycle === 'creating') await client.nextAction(session, 'session/ready');
  return state as SessionState;
}

const message = (turnId: string, text: string) => ({
  type: 'session/turnStarted',
  session,
  turnId,
  userMessage: { text },
});

describe('clients of two hosts at one session', () => {
  it('see the same, in the same order, whoever sends', async () => {
    if (!alice || !bob) throw new Error('nobody there');
    bob.dispatch(message('from-bob', 'hello'));
    await Promise.all([alice, bob].map((client) => client.nextAction(session, 'session/turnComplete')));
    alice.dispatch(message('from-alice', 'use-tool'));
    await Promise.all(
      [alice, bob].map((client) =>
        client.nextAction(session, 'session/turnComplete', ({ turnId }) => turnId === 'from-alice'),
      ),
    );
    const actions = (client: RawClient) =>
      client.envelopes.map(({ action }) => action).filter(({ type }) => type !== 'session/clientsChanged');
    const from = actions(alice).findIndex(({ type }) => type === 'session/turnStarted');
    const until = actions(bob).findIndex(({ type }) => type === 'session/turnStarted');
    expect(actions(bob).slice(until)).toEqual(actions(alice).slice(from));
    expect((await bob.stateOf(session)).turns).toEqual((await alice.stateOf(session)).turns);
    const numbers = bob.envelopes.map(({ serverSeq }) => serverSeq);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it('know of each other', async () => {
    const both = ({ clients }: { readonly clients: readonly { readonly clientId: string }[] }) =>
      clients
        .map(({ clientId }) => clientId)
        .toSorted()
        .join() === 'alice,bob';
    await alice?.nextAction(session, 'session/clientsChanged', both);
    await bob?.nextAction(session, 'session/clientsChanged', both);
  });

  it('know who only follows the session without looking at it', async () => {
    if (!alice || !bob) throw new Error('nobody there');
    const [first, second] = [alice, bob];
    type Told = { readonly clients: readonly { readonly clientId: string }[] };
    const named = ({ clients }: Told) => clients.map(({ clientId }) => clientId).toSorted();
    /** Waits until all of them are told of this after `work`; what they were told before does not count. */
    const told = async (names: string, who: readonly RawClient[], work: () => Promise<unknown>) => {
      const before = new Set<object>(who.flatMap(({ envelopes }) => envelopes.map(({ action }) => action)));
      await work();
      const isNew = (action: Told) => !before.has(action) && named(action).join() === names;
      await Promise.all(who.map((one) => one.nextAction(session, 'session/clientsChanged', isNew)));
    };
    // Else it may be that nobody is told of bob at all.
    const both = (action: Told) => named(action).join() === 'alice,bob';
    await Promise.all([first, second].map((one) => one.nextAction(session, 'session/clientsChanged', both)));
    await told('alice', [first, second], () => second.request('lookAt', {}));
    await told('alice,bob', [first], () => second.request('lookAt', { session }));
    await told('bob', [second], () => first.request('lookAt', {}));
  });

  it('[FOL2] get the fate of each action once: a refusal, an echo, a repeat', async () => {
    if (!alice || !bob) throw new Error('nobody there');
    const refused = await bob.act({ type: 'session/turnCancelled', session, turnId: 'none' });
    expect(refused.rejectionReason).toBeTruthy();
    const clientSeq = bob.dispatch(message('once', 'hello'));
    const echo = await bob.echo(clientSeq);
    expect(echo.rejectionReason).toBeUndefined();
    await bob.nextAction(session, 'session/turnComplete');
    bob.dispatch(message('once', 'hello'), clientSeq);
    await bob.nextEnvelope(({ origin, repeated }) => origin?.clientSeq === clientSeq && repeated === true);
    expect((await bob.stateOf(session)).turns.map(({ id }) => id)).toEqual(['once']);
  });

  it('stay connected when others open the same session at the same moment', async () => {
    if (!alice || !two) throw new Error('nobody there');
    const others = await Promise.all(Array.from({ length: 20 }, (_, n) => two?.raw(`viewer ${n}`)));
    for (let round = 0; round < 10; round++) {
      const resource = `mock:/${crypto.randomUUID()}`;
      await alice.request('createSession', { session: resource });
      // One right after the other's answer: some of them are still looking for the owner when the first have found it.
      const asked = others.map(async (other, n) => {
        for (let turn = 0; turn < n; turn++) await new Promise(setImmediate);
        await other?.request('subscribe', { resource });
      });
      await Promise.all(asked);
      for (const other of others) await other?.request('ping', {});
    }
  });

  it('list, fetch and remove through any host, and hear of it', async () => {
    if (!alice || !bob) throw new Error('nobody there');
    for (const turn of ['t1', 't2', 't3']) {
      bob.dispatch(message(turn, 'hello'));
      await bob.nextAction(session, 'session/turnComplete', ({ turnId }) => turnId === turn);
    }
    const page = await bob.request<{ turns: { id: string }[] }>('fetchTurns', { session, range: { limit: 2 } });
    expect(page.turns.map(({ id }) => id)).toEqual(['t2', 't3']);
    const fork = `mock:/${crypto.randomUUID()}`;
    await bob.request('forkSession', { source: session, session: fork, toTurnId: 't2' });
    expect((await bob.stateOf(fork)).turns.map(({ id }) => id)).toEqual(['t1', 't2']);
    await bob.request('disposeSession', { session });
    const isRemoval = (notification: { readonly type: string }) => notification.type === 'notify/sessionRemoved';
    await expect.poll(() => bob?.notifications.some(isRemoval), { timeout: 10_000 }).toBe(true);
    await expect(alice.stateOf(session)).rejects.toThrow('no session');
    await expect(bob.stateOf(session)).rejects.toThrow('no session');
    const { items } = await bob.request<{ items: { resource: string }[] }>('listSessions', {});
    expect(items.map(({ resource }) => resource)).toEqual([fork]);
  });

  it('make a session once, when both try to at the same time', async () => {
    if (!alice || !bob) throw new Error('nobody there');
    for (let round = 0; round < 5; round++) {
      const created = `mock:/${crypto.randomUUID()}`;
      const outcomes = await Promise.all(
        [alice, bob].map((client) =>
          client.request('createSession', { session: created }).then(
            () => 'created',
            (error: Error) => error.message,
          ),
        ),
      );
      const [refusal, ...others] = outcomes.filter((outcome) => outcome !== 'created');
      expect(refusal).toContain('already exists');
      expect(others).toEqual([]);
    }
  });

  it('go on at the other host when the owner ends, with all that was acknowledged', async () => {
    if (!alice || !bob) throw new Error('nobody there');
    bob.dispatch(message('before', 'hello'));
    await bob.nextAction(session, 'session/turnComplete');
    await one?.host.close();
    expect(await bob.closed).toMatchObject({ code: 4409 });
    const again = await two?.raw('bob');
    expect((await again?.stateOf(session))?.turns.map(({ id }) => id)).toEqual(['before']);
    // What it had sent before counts at the new owner too.
    again?.dispatch(message('after', 'hello'), 2);
    await again?.nextAction(session, 'session/turnComplete');
  });

  it('no other program gets in over the link', async () => {
    const { WebSocket } = await import('ws');
    const attempt = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve) => {
        const socket = new WebSocket(new URL('/link', String(one?.url).replace('http', 'ws')), { headers });
        socket.on('unexpected-response', (_, response) => resolve(response.statusCode));
        socket.on('open', () => resolve(undefined));
        socket.on('error', () => {});
      });
    expect(await attempt({})).toBe(401);
    expect(await attempt({ authorization: `Bearer ${one?.token}` })).toBe(401);
    const forged = `AgenthostLink ${two?.host.instanceId}.${'a'.repeat(22)}.${'b'.repeat(43)}`;
    expect(await attempt({ authorization: forged })).toBe(401);
  });
});
