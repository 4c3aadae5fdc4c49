import type { SessionState } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import type { RawClient } from '../../../../test/support/rawClient.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTestHost, type TestHost } from '../../../../test/support/testHost.js';
import { message, usedBy } from './support/placedHosts.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

/** A client at each of three hosts, all at one session that the first of them owns. */
async function threeHosts() {
  const database = await postgres.server.newDatabase();
  const hosts: TestHost[] = [];
  const clients: RawClient[] = [];
  for (const name of ['alice', 'bob', 'carol']) {
    const host = await startTestHost({ database, leaseMs: 2_000 });
    cleanups.push(() => host.dispose());
    hosts.push(host);
    clients.push(await host.raw(name));
  }
  const [alice, ...others] = clients as [RawClient, ...RawClient[]];
  const session = await usedBy(alice);
  for (const other of others) await other.stateOf(session);
  return { hosts, clients, session };
}

/** All of them are told of the turn, over the connections that they had. */
async function say(from: RawClient, session: string, turnId: string, clients: readonly RawClient[]): Promise<void> {
  from.dispatch(message(session, turnId));
  await Promise.all(
    clients.map((client) => client.nextAction(session, 'session/turnComplete', (ended) => ended.turnId === turnId)),
  );
}

const shown = ({ clients: _, ...state }: SessionState) => state;

describe('a session that goes to another host', () => {
  it('[FEN5] takes its clients along, at all hosts: nobody is cut off, nobody takes a snapshot', async () => {
    const { hosts, clients, session } = await threeHosts();
    const closed: string[] = [];
    for (const [n, client] of clients.entries()) void client.closed.then(({ code }) => closed.push(`${n} ${code}`));
    await hosts[0]?.host.drain(20_000);
    for (const [n, client] of clients.entries()) await say(client, session, `after ${n}`, clients);
    expect(closed).toEqual([]);
    const states = await Promise.all(clients.map((client) => client.stateOf(session)));
    expect(states[1] && shown(states[1])).toEqual(states[0] && shown(states[0]));
    expect(states[2] && shown(states[2])).toEqual(states[0] && shown(states[0]));
  });
});
