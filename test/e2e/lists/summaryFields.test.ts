import { rm } from 'node:fs/promises';
import { connect } from '@agenthost/client';
import { type AgentSession, MockAgent, type OpenSessionOptions } from '@agenthost/host';
import type { ListSessionsResult, Notification, SessionSummary } from '@agenthost/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import type { RawClient } from '../../support/rawClient.js';
import { say } from '../../support/say.js';
import { spawnHost, startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

/** Opens its sessions when the test says so. */
class HeldAgent extends MockAgent {
  readonly release = Promise.withResolvers<void>();

  override async openSession(options: OpenSessionOptions): Promise<AgentSession> {
    await this.release.promise;
    return super.openSession(options);
  }
}

async function nextNotification<T extends Notification['type']>(
  client: RawClient,
  type: T,
  fits: (notification: Extract<Notification, { type: T }>) => boolean = () => true,
): Promise<Extract<Notification, { type: T }>> {
  type Wanted = Extract<Notification, { type: T }>;
  const isWanted = (one: Notification | undefined) => one?.type === type && fits(one as Wanted);
  const frame = await client.next(({ params }) => isWanted(params?.notification), type);
  return frame.params?.notification as Wanted;
}

describe('summaries of unopened sessions', () => {
  const hosts: TestHost[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.dispose();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });

  async function start(options: Parameters<typeof startTestHost>[0] = {}): Promise<TestHost> {
    const host = await startTestHost(options);
    hosts.push(host);
    return host;
  }

  async function listed(host: TestHost, uri: string): Promise<SessionSummary | undefined> {
    const { items } = await (await host.raw(crypto.randomUUID())).request<ListSessionsResult>('listSessions', {});
    return items.find(({ resource }) => resource === uri);
  }

  it('[TURN13] have the end of the last turn, which only the end of a turn changes, after a restart too', async () => {
    const stateDir = await temporaryFolder();
    folders.push(stateDir);
    const first = await start({ stateDir });
    const alice = await first.connect();
    const session = await alice.createSession({ provider: 'mock' });
    await session.ready();
    expect(await listed(first, session.uri)).not.toHaveProperty('lastTurnEndedAt');
    await say(session, 'hello');
    const endedAt = session.confirmed.value.turns[0]?.endedAt;
    expect(await listed(first, session.uri)).toMatchObject({ lastTurnEndedAt: endedAt });

    // A turn that runs is news, but has not ended.
    await session.send('hang');
    await until(session.confirmed, ({ activeTurn }) => activeTurn !== undefined, 'a running turn');
    const running = await listed(first, session.uri);
    expect([running?.lastTurnEndedAt, (running?.modifiedAt ?? 0) > (endedAt ?? 0)]).toEqual([endedAt, true]);
    await session.cancel();
    await until(session.confirmed, ({ turns }) => turns.length === 2, 'a cancelled turn');
    const cancelledAt = session.confirmed.value.turns[1]?.endedAt;
    await session.rename('another');
    await session.archive();
    expect(await listed(first, session.uri)).toMatchObject({ lastTurnEndedAt: cancelledAt, isArchived: true });

    await first.dispose();
    hosts.length = 0;
    const second = await start({ stateDir });
    expect(await listed(second, session.uri)).toMatchObject({ lastTurnEndedAt: cancelledAt });
  });

  it('[TURN13] reach clients that only follow the list', async () => {
    const host = await start();
    const alice = await host.connect();
    const bob = await host.raw('bob');
    const session = await alice.createSession({ provider: 'mock' });
    await session.ready();
    await say(session, 'hello');
    const endedAt = session.confirmed.value.turns[0]?.endedAt;
    const told = await nextNotification(
      bob,
      'notify/sessionSummaryChanged',
      (event) => event.changes.lastTurnEndedAt !== undefined,
    );
    expect(told.changes.lastTurnEndedAt).toBe(endedAt);
  });

  it('[LIFE4] say that a session is being created, until that succeeded', async () => {
    const agent = new HeldAgent();
    const host = await start({ agents: [agent] });
    const bob = await host.raw('bob');
    const session = await (await host.connect()).createSession({ provider: 'mock' });
    const added = await nextNotification(bob, 'notify/sessionAdded');
    expect([added.summary.isCreating, (await listed(host, session.uri))?.isCreating]).toEqual([true, true]);
    agent.release.resolve();
    await session.ready();
    const told = await nextNotification(
      bob,
      'notify/sessionSummaryChanged',
      ({ changes }) => changes.isCreating !== undefined,
    );
    expect(told.changes.isCreating).toBeNull();
    expect(await listed(host, session.uri)).not.toHaveProperty('isCreating');
  });

  it('[LIFE4] do not say so after a failed creation', async () => {
    const host = await start();
    const alice = await host.connect();
    const session = await alice.createSession({ provider: 'mock', config: { failCreation: true } });
    await until(session.confirmed, ({ lifecycle }) => lifecycle === 'creationFailed', 'the failure');
    expect(session.confirmed.value.summary).not.toHaveProperty('isCreating');
    expect(await listed(host, session.uri)).not.toHaveProperty('isCreating');
  });

  it('[LIFE4] do not say so of a session whose host was killed while it was created', async () => {
    const stateDir = await temporaryFolder();
    folders.push(stateDir);
    const process = await spawnHost(stateDir);
    const client = await connect({ url: process.url, token: process.token });
    const config = { creationDelayMs: 3_600_000 };
    const session = await client.createSession({ provider: 'mock', config });
    expect((await client.listSessions()).items).toMatchObject([{ resource: session.uri, isCreating: true }]);
    client.close();
    await process.kill('SIGKILL');
    const second = await start({ stateDir });
    const summary = await listed(second, session.uri);
    expect([summary?.resource, summary?.isCreating]).toEqual([session.uri, undefined]);
    // Opening it creates it again, which takes as long as before.
    const opened = await (await second.connect()).openSession(session.uri);
    expect(opened.confirmed.value).toMatchObject({ lifecycle: 'creating', summary: { isCreating: true } });
    expect(await listed(second, session.uri)).toMatchObject({ isCreating: true });
  });
});
