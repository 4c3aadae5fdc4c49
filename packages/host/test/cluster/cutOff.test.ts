import type { SessionState } from '@agenthost/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import type { RawClient } from '../../../../test/support/rawClient.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTcpProxy, type TcpProxy } from '../../../../test/support/tcpProxy.js';
import { rawSession, startTestHost, type TestHost } from '../../../../test/support/testHost.js';

const LEASE_MS = 1_000;

const postgres = postgresOfFile();

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await postgres.server.run().catch(() => undefined);
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(database: string): Promise<{ readonly host: TestHost; readonly network: TcpProxy }> {
  const network = await startTcpProxy();
  network.forwardTo(new URL(database));
  const url = new URL(database);
  url.port = network.url.port;
  const host = await startTestHost({ database: url.href, leaseMs: LEASE_MS });
  cleanups.push(async () => {
    network.allow(true);
    await host.dispose();
    await network.close();
  });
  return { host, network };
}

function begin(client: RawClient, session: string, turnId: string, text: string) {
  return client.act({ type: 'session/turnStarted', session, turnId, userMessage: { text } });
}

const textOf = ({ activeTurn }: SessionState) =>
  (activeTurn?.responseParts ?? []).flatMap((part) => (part.kind === 'markdown' ? [part.content] : [])).join('');

describe('a host that does not reach the database for a lease', () => {
  it('[FEN6] tells no text that is not stored, and all of it when the database is back', async () => {
    const { host } = await start(await postgres.server.newDatabase());
    const alice = await host.raw('alice');
    const session = await rawSession([alice]);
    await begin(alice, session, 'long', 'slow');
    const texts = () =>
      alice.envelopes.flatMap(({ action }) => (action.type === 'session/delta' ? [action.content] : []));
    await expect.poll(() => texts().length).toBeGreaterThan(3);
    await postgres.server.stop('SIGQUIT');
    let told = 0;
    // A ping is answered after what came before it, but waits for the storage only so long. The agent speaks every 50 ms.
    const isSilentFor = async (ms: number) => {
      const began = performance.now();
      told = texts().length;
      await alice.fence();
      return texts().length === told && performance.now() - began > ms;
    };
    await expect.poll(() => isSilentFor(3_000), { timeout: 30_000 }).toBe(true);
    await postgres.server.run();
    await expect.poll(() => texts().length, { timeout: 20_000 }).toBeGreaterThan(told + 20);
    const text = texts().join('');
    const numbers = text.trim().split(' ').map(Number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(textOf(await alice.stateOf(session)).startsWith(text)).toBe(true);
  });

  it('[FEN6] gives its sessions up when another host does reach it, and they go on there', async () => {
    const database = await postgres.server.newDatabase();
    const [one, two] = [await start(database), await start(database)];
    const alice = await one.host.raw('alice');
    const bob = await two.host.raw('bob');
    // The hosts know each other.
    await expect
      .poll(async () => {
        await rawSession([bob]);
        return alice.notifications.some(({ type }) => type === 'notify/sessionAdded');
      })
      .toBe(true);
    const session = await rawSession([alice]);
    await begin(alice, session, 'long', 'slow');
    const carol = await one.host.raw('carol');
    const elsewhere = await rawSession([bob, carol]);
    one.network.allow(false);
    one.network.cut();
    alice.dispatch({ type: 'session/titleChanged', session, title: 'never stored' });
    expect(await alice.closed).toMatchObject({ code: 4409 });
    // What other hosts have goes on here.
    await carol.act({ type: 'session/titleChanged', session: elsewhere, title: 'through the link' });
    await bob.nextAction(elsewhere, 'session/titleChanged');
    expect((await bob.stateOf(session)).turns).toMatchObject([{ id: 'long', error: { errorType: 'interrupted' } }]);
    await begin(bob, session, 'next', 'hello');
    await bob.nextAction(session, 'session/turnComplete');
  });

  it('[FEN6] keeps its sessions, its agents and its clients when nobody reaches it: the database is gone', async () => {
    const database = await postgres.server.newDatabase();
    const [one, two] = [await start(database), await start(database)];
    const alice = await one.host.raw('alice');
    const bob = await two.host.raw('bob');
    const session = await rawSession([alice, bob]);
    await begin(alice, session, 'long', 'slow');
    let isClosed = false;
    for (const client of [alice, bob]) {
      void client.closed.then(() => {
        isClosed = true;
      });
    }
    await postgres.server.stop('SIGQUIT');
    // Of which each waits for longer than a lease, once nothing can be stored.
    for (let n = 0; n < 4; n++) await Promise.all([alice.fence(), bob.fence()]);
    alice.dispatch({ type: 'session/titleChanged', session, title: 'typed by alice' });
    bob.dispatch({ type: 'session/titleChanged', session, title: 'typed by bob' });
    for (let n = 0; n < 2; n++) await Promise.all([alice.fence(), bob.fence()]);
    expect(isClosed).toBe(false);
    await postgres.server.run();
    for (const client of [alice, bob]) {
      for (const title of ['typed by alice', 'typed by bob']) {
        await client.nextAction(session, 'session/titleChanged', (action) => action.title === title);
      }
    }
    expect((await bob.stateOf(session)).activeTurn?.id).toBe('long');
    expect(isClosed).toBe(false);
  });
});

describe('a host whose sessions were taken while nobody wrote', () => {
  it('[FEN4] sends those who look on there to the new owner', async () => {
    const database = await postgres.server.newDatabase();
    const [one, two] = [await start(database), await start(database)];
    const alice = await one.host.raw('alice');
    const session = await rawSession([alice]);
    await begin(alice, session, 'before', 'hello');
    await alice.nextAction(session, 'session/turnComplete');
    await postgres.server.query(database, 'update agenthost.session set owner = null, epoch = epoch + 1, claim = 7');
    const bob = await two.host.raw('bob');
    expect((await bob.stateOf(session)).turns).toHaveLength(1);
    expect(await alice.closed).toMatchObject({ code: 4409 });
  });
});
