import type { ActionEnvelope, SessionState } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import type { RawClient } from '../../../../test/support/rawClient.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTestHost, type TestHost } from '../../../../test/support/testHost.js';
import { Database } from '../../src/database/database.js';
import { silentLog } from '../../src/hostLog.js';
import { message, usedBy } from './support/placedHosts.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

const names = ['alice', 'bob', 'carol'] as const;

/** A client at each of three hosts, all at one session that the first of them owns. */
async function threeHosts() {
  const database = await postgres.server.newDatabase();
  const hosts: TestHost[] = [];
  const clients: RawClient[] = [];
  for (const name of names) {
    const host = await startTestHost({ database, leaseMs: 800 });
    cleanups.push(() => host.dispose());
    hosts.push(host);
    clients.push(await host.raw(name));
  }
  const [alice, ...others] = clients as [RawClient, ...RawClient[]];
  const session = await usedBy(alice);
  for (const other of others) await other.stateOf(session);
  return { database, hosts, clients, session };
}

async function ownerOf(url: string): Promise<string | undefined> {
  const database = await Database.open({ url, log: silentLog });
  const [row] = await database.query<{ owner: string }>('select owner from session');
  await database.close();
  return row?.owner;
}

/** All of them are told of the turn, over the connections that they had. */
async function say(from: RawClient, session: string, turnId: string, clients: readonly RawClient[]): Promise<void> {
  from.dispatch(message(session, turnId));
  await Promise.all(
    clients.map((client) => client.nextAction(session, 'session/turnComplete', (ended) => ended.turnId === turnId)),
  );
}

/** Until it is not the owner any more: at first it may not know of other hosts. */
async function drained({ host }: TestHost, database: string): Promise<void> {
  const drain = async () => {
    await host.drain(20_000);
    return ownerOf(database);
  };
  await expect.poll(drain, { timeout: 20_000 }).not.toBe(host.instanceId);
}

/** The title that this client gave it. */
function isTitle(title: string | undefined, from: string | undefined) {
  return ({ action, origin }: ActionEnvelope) =>
    action.type === 'session/titleChanged' && action.title === title && origin?.clientId === from;
}

const shown = ({ clients: _, ...state }: SessionState) => state;

describe('a session that goes to another host', () => {
  it('[FEN5] takes its clients along, at all hosts: nobody is cut off, nobody takes a snapshot', async () => {
    const { database, hosts, clients, session } = await threeHosts();
    const closed: string[] = [];
    for (const [n, client] of clients.entries()) void client.closed.then(({ code }) => closed.push(`${n} ${code}`));
    for (const host of hosts.slice(0, 1)) await drained(host, database);
    for (const [n, client] of clients.entries()) await say(client, session, `after ${n}`, clients);
    expect(closed).toEqual([]);
    const states = await Promise.all(clients.map((client) => client.stateOf(session)));
    expect(states[1] && shown(states[1])).toEqual(states[0] && shown(states[0]));
    expect(states[2] && shown(states[2])).toEqual(states[0] && shown(states[0]));
  });

  it('does not stay because a client watches what it has changed', async () => {
    const { database, hosts, session } = await threeHosts();
    const [host] = hosts as [TestHost];
    const watching = await host.connect();
    const { state } = watching.work.watchChanges(session);
    await expect.poll(() => state.value.isLoading, { timeout: 20_000 }).not.toBe(true);
    await drained(host, database);
  });

  it('[FOL2] loses, doubles and mixes up nothing that clients send meanwhile, at whatever host', async () => {
    const { database, hosts, clients, session } = await threeHosts();
    const closed: string[] = [];
    for (const [n, client] of clients.entries()) void client.closed.then(({ code }) => closed.push(`${n} ${code}`));
    const sent = clients.map((): string[] => []);
    let isOver = false;
    const sending = clients.map(async (client, n) => {
      while (!isOver) {
        const title = `${n} ${sent[n]?.length}`;
        sent[n]?.push(title);
        client.dispatch({ type: 'session/titleChanged', session, title });
        await client.request('ping', {});
      }
    });
    // From the first to one of the others, and from that to the last.
    for (const host of hosts.slice(0, 2)) {
      const before = sent.flat().length;
      await expect.poll(() => sent.flat().length, { timeout: 20_000 }).toBeGreaterThan(before + 30);
      await drained(host, database);
      // All of them look on at the new owner. One that had not found it before the next move would have to come back.
      await Promise.all(clients.map((client, n) => client.nextEnvelope(isTitle(sent[n]?.at(-1), names[n]))));
    }
    await expect.poll(() => ownerOf(database), { timeout: 20_000 }).toBe(hosts[2]?.host.instanceId);
    isOver = true;
    await Promise.all(sending);
    for (const client of clients) client.dispatch({ type: 'session/titleChanged', session, title: 'end' });
    await Promise.all(
      clients.flatMap((client) =>
        names.map((sender) => client.nextEnvelope(isTitle('end', sender), `end of ${sender}`)),
      ),
    );
    expect(closed).toEqual([]);
    const told = clients.map((client) =>
      client.envelopes.flatMap(({ action, rejectionReason, repeated }) =>
        action.type === 'session/titleChanged' && !rejectionReason && !repeated ? [action.title] : [],
      ),
    );
    for (const [n, titles] of sent.entries()) {
      for (const heard of told) expect(heard.filter((title) => title.startsWith(`${n} `))).toEqual(titles);
    }
  });
});
