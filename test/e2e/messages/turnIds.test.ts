import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { HostClient, SessionHandle } from '@agenthost/client';
import type { HostOptions } from '@agenthost/host';
import { REJECTION, type Turn } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

/** More than the host has in memory. */
const MANY = 700;
const IN_TURN = REJECTION.messageAlreadyInTurn;

function turn(n: number): Turn {
  const answer = { kind: 'markdown', id: 'p', content: `answer ${n}` } as const;
  const message = { userMessage: { text: `message ${n}` }, responseParts: [answer], toolCalls: [] };
  return { id: `t${n}`, ...message, state: 'complete', startedAt: n, endedAt: n + 1 };
}

describe('[VAL7] the id of a turn is never accepted twice', () => {
  let stateDir: string;
  let host: TestHost;
  let client: HostClient;

  async function start(options: Partial<HostOptions> = {}): Promise<void> {
    host = await startTestHost({ stateDir, ...options });
    client = await host.connect();
  }
  async function restart(): Promise<void> {
    await host.dispose();
    await start();
  }
  beforeEach(async () => {
    stateDir = await temporaryFolder();
    await start();
  });
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true });
  });

  const imported = (count = MANY) =>
    client.importSession({ provider: 'mock', turns: Array.from({ length: count }, (_, n) => turn(n)) });

  async function expectUsed(session: SessionHandle, ...ids: readonly string[]): Promise<void> {
    const before = session.confirmed.value;
    for (const id of ids) {
      await expect(session.send('again', id), id).rejects.toMatchObject({ reason: REJECTION.turnIdUsed });
      await expect(session.queue('again', id), id).rejects.toMatchObject({ reason: IN_TURN });
      await expect(session.steer('again', id), id).rejects.toMatchObject({ reason: IN_TURN });
    }
    expect(session.confirmed.value.turns).toEqual(before.turns);
  }

  async function expectFree(session: SessionHandle, id: string): Promise<void> {
    await session.send('hello', id);
    await until(session.confirmed, ({ turns, activeTurn }) => turns.at(-1)?.id === id && !activeTurn, id);
  }

  it('however old it is: in an imported session, after a restart, and after the session was unloaded', async () => {
    const { uri } = await imported();
    const oldest = ['t0', 't1', `t${MANY - 300}`, `t${MANY - 1}`];
    await expectUsed(await client.openSession(uri), ...oldest);
    await restart();
    await expectUsed(await client.openSession(uri), ...oldest);
    await host.dispose();
    await start({ sessionIdleMs: 20 });
    const session = await client.openSession(uri);
    await expectFree(session, 'mine');
    session.close();
    const other = await client.createSession({ provider: 'mock' });
    await until(other.confirmed, ({ lifecycle }) => lifecycle === 'ready');
    await expectUsed(await client.openSession(uri), 'mine', ...oldest);
  });

  it('when it is that of a queued message, started or waiting', async () => {
    const session = await imported(400);
    await session.queue('queued', 'from the queue');
    await until(session.confirmed, ({ turns }) => turns.at(-1)?.id === 'from the queue', 'the queued turn');
    for (let n = 0; n < 260; n++) await expectFree(session, `later${n}`);
    await restart();
    const again = await client.openSession(session.uri);
    await expectUsed(again, 'from the queue', 'later0');

    // After an error the queue waits: nothing may take the id before the message does.
    await again.send('slow');
    await again.queue('error', 'breaks');
    await again.queue('waits', 'waiting');
    await again.cancel();
    await until(again.confirmed, ({ turns, activeTurn }) => turns.at(-1)?.id === 'breaks' && !activeTurn, 'the error');
    await expect(again.send('me first', 'waiting')).rejects.toMatchObject({ reason: REJECTION.turnIdUsed });
    await again.dispatch({
      type: 'session/turnStarted',
      turnId: 'waiting',
      queuedMessageId: 'waiting',
      userMessage: { text: 'waits' },
    });
    await until(again.confirmed, ({ turns }) => turns.at(-1)?.id === 'waiting', 'the turn of the message');
    expect(again.confirmed.value).not.toHaveProperty('queuedMessages');
  });

  it('in a fork: it has its source’s turns, but not those after the cut', async () => {
    const source = await imported();
    await restart();
    const fork = await client.forkSession({ source: source.uri, toTurnId: `t${MANY - 100}` });
    await expectUsed(fork, 't0', 't33', `t${MANY - 100}`);
    await expectFree(fork, `t${MANY - 99}`);
    await restart();
    await expectUsed(await client.openSession(fork.uri), 't0', `t${MANY - 99}`);
  });

  it('also while the index is missing or being rebuilt', async () => {
    const session = await imported();
    await expectUsed(session, 't0');
    const path = join(stateDir, 'index.sqlite');
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE poke (x); PRAGMA wal_checkpoint(TRUNCATE)');
    other.close();
    const { size } = await stat(path);
    const file = await open(path, 'r+');
    await file.write(Buffer.alloc(size - 4_096, 0xa5), 0, size - 4_096, 4_096);
    await file.close();
    // The first of them finds the damage.
    await Promise.all([expectUsed(session, 't0'), expectUsed(session, 't1'), expectUsed(session, 't2')]);
    await expectFree(session, 'new');
    await expectUsed(session, 'new', 't3');
    // Everything is in the new one, too: also of a session that was open meanwhile.
    expect((await client.listSessions({ filter: { text: '"answer 3"' } })).total).toBe(1);
    await host.dispose();
    for (const suffix of ['', '-wal', '-shm', '-sums']) await rm(`${path}${suffix}`, { force: true });
    await start();
    await expectUsed(await client.openSession(session.uri), 'new', 't4');
  });

  it('but is free again when its turn could not be started', async () => {
    const session = await imported();
    await session.send('slow', 'first');
    await expect(session.send('too early', 'second')).rejects.toMatchObject({ reason: REJECTION.turnInProgress });
    await session.cancel();
    await expectFree(session, 'second');
  });
});
