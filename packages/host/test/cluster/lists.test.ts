import type { ListSessionsResult, Notification } from '@agenthost/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { RawClient } from '../../../../test/support/rawClient.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTcpProxy } from '../../../../test/support/tcpProxy.js';
import { rawSession, startTestHost, type TestHost } from '../../../../test/support/testHost.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

/** Sessions are at `one`; whatever it tells `two` over their link is in `crossed`. */
let one: TestHost;
let two: TestHost;
let alice: RawClient;
let crossed: string;

beforeEach(async () => {
  const database = await postgres.server.newDatabase();
  crossed = '';
  const network = await startTcpProxy({
    onAnswer: (chunk) => {
      crossed += chunk.toString('latin1');
    },
  });
  cleanups.push(() => network.close());
  one = await startTestHost({ database, leaseMs: 2_000 }, { linkUrl: network.url });
  cleanups.push(() => one.dispose());
  network.forwardTo(one.url);
  two = await startTestHost({ database, leaseMs: 2_000 });
  cleanups.push(() => two.dispose());
  alice = await one.raw('alice');
  await expect.poll(() => crossed, { timeout: 10_000 }).toContain('minVersion');
});

async function watching(host: TestHost, limit: number): Promise<RawClient> {
  const client = await RawClient.open(host);
  cleanups.push(() => client.end());
  await client.request('initialize', { protocolVersion: 1, clientId: 'watcher', watch: { limit } });
  return client;
}

async function session(): Promise<string> {
  const uri = await rawSession([alice]);
  await say(uri);
  return uri;
}

async function say(uri: string): Promise<void> {
  const turnId = crypto.randomUUID();
  await alice.act({ type: 'session/turnStarted', session: uri, turnId, userMessage: { text: 'hello' } });
  await alice.nextAction(uri, 'session/turnComplete', (action) => action.turnId === turnId);
}

const rename = (uri: string, title: string) => alice.act({ type: 'session/titleChanged', session: uri, title });

const isRename = (notification: Notification | undefined, title: string) =>
  notification?.type === 'notify/sessionSummaryChanged' && notification.changes.title === title;

async function hears(client: RawClient, title: string): Promise<void> {
  await client.next(({ params }) => isRename(params?.notification, title), title);
}

/** How often a change to that title came over the link. */
const crossings = (title: string) => crossed.split('"changes":{').filter((one) => one.startsWith(`"title":"${title}"`));

describe('the list of a host through another host', () => {
  it('is told once over the link, however many clients listen there', async () => {
    const uri = await session();
    const clients = [await two.raw('bob'), await two.raw('carol'), await two.raw('dave')];
    await Promise.all(clients.map((client) => client.request('listSessions', {})));
    await rename(uri, 'told-once');
    await Promise.all(clients.map((client) => hears(client, 'told-once')));
    expect(crossings('told-once')).toHaveLength(1);
  });

  it('is not told to a host without clients, whose next client lists what it has missed and hears the rest', async () => {
    const uri = await session();
    await rename(uri, 'told-to-nobody');
    // Changes are gathered for a while: from now on it would be too late to tell him.
    await hears(alice, 'told-to-nobody');
    const bob = await two.raw('bob');
    const { items } = await bob.request<ListSessionsResult>('listSessions', {});
    expect(items).toMatchObject([{ resource: uri, title: 'told-to-nobody' }]);
    await rename(uri, 'heard');
    await hears(bob, 'heard');
    expect(crossings('told-to-nobody')).toHaveLength(0);
    await bob.end();
    // That the last one has gone is told within a second. Removals are told in any case, after what came before them.
    const isTold = async () => {
      const short = await rawSession([alice]);
      await alice.request('disposeSession', { session: short });
      await expect.poll(() => crossed).toContain(`"type":"notify/sessionRemoved","session":"${short}"`);
      return crossed.includes(`"summary":{"resource":"${short}"`);
    };
    await expect.poll(isTold, { timeout: 10_000 }).toBe(false);
  });

  it('[NTF2] tells those who watch the newest there, with the whole summary of what they did not know', async () => {
    const old = await session();
    await rename(old, 'an old title');
    const newest = await session();
    const watcher = await watching(two, 1);
    await watcher.request('listSessions', { limit: 1 });
    // The host has read its list once more by now, and knows the newest.
    await expect
      .poll(
        async () => {
          await rename(old, `unheard ${crypto.randomUUID()}`);
          await rename(newest, 'heard');
          await watcher.fence();
          const last = watcher.notifications.at(-1);
          return last?.type === 'notify/sessionSummaryChanged' && last.session === newest;
        },
        { timeout: 10_000 },
      )
      .toBe(true);
    await rename(old, 'the last title');
    await say(old);
    const frame = await watcher.next(({ params }) => {
      const { notification } = params ?? {};
      return notification?.type === 'notify/sessionAdded' && notification.summary.title === 'the last title';
    });
    expect(frame.params?.notification).toMatchObject({ summary: { resource: old, provider: 'mock' } });
  });
});
