import { readFile } from 'node:fs/promises';
import { connect, type HostClient, type SessionHandle } from '@agenthost/client';
import type { SessionState } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { isGone } from '../../../packages/host/test/agents/support/processes.js';
import { stubEntry, stubSession, writeAgents } from '../../support/agents/stubAgent.js';
import { cleanupsOfTests } from '../../support/cleanups.js';
import { say, textOf } from '../../support/say.js';
import { postgresOfFile } from '../../support/storage/postgresOfFile.js';
import { startTcpProxy } from '../../support/tcpProxy.js';
import { type HostProcess, spawnHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const LEASE_S = 3;
const LONG_MS = 60_000;

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

/** A host with an agent that is a process of its own and ends neither with its input nor by a polite signal. */
async function start(...args: string[]): Promise<HostProcess> {
  const stateDir = await cleanups.folder();
  await writeAgents(stateDir, { stub: stubEntry(stateDir, { STUB_IGNORE_EOF: '1' }) });
  const host = await spawnHost(stateDir, ['--state-dir', stateDir, ...args]);
  cleanups.push(() => host.kill('SIGKILL'));
  return host;
}

const startOn = (database: string) => start('--database', database, '--lease', String(LEASE_S));

async function clientOf({ url, token }: HostProcess): Promise<HostClient> {
  const client = await connect({ url, token });
  cleanups.push(async () => client.close());
  return client;
}

/** A turn that writes without an end, and the processes of its agent. */
async function endlessTurn(host: HostProcess): Promise<{ readonly session: SessionHandle; readonly pids: number[] }> {
  const session = await stubSession(await clientOf(host));
  const pids = [Number(await say(session, 'pid')), Number(await say(session, 'orphan'))];
  await session.send('endless');
  await until(session.state, ({ activeTurn }) => (activeTurn?.responseParts.length ?? 0) > 0, 'the turn');
  expect(pids.map(isGone)).toEqual([false, false]);
  return { session, pids };
}

async function guardArguments({ pid }: HostProcess): Promise<string[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
  const lines = await Promise.all(children.map((child) => readFile(`/proc/${child}/cmdline`, 'utf8')));
  const guard = lines.find((line) => line.includes('agentGuardProgram')) ?? '';
  return guard.split('\0').slice(3, -1);
}

describe('a host on a database that falls silent', () => {
  it('[FEN7] has no agent left when the new owner starts a turn, and the turn says why it waits', {
    timeout: 3 * LONG_MS,
  }, async () => {
    const database = await postgres.server.newDatabase();
    const [one, two] = [await startOn(database), await startOn(database)];
    const { session, pids } = await endlessTurn(one);
    const bob = await clientOf(two);
    one.process.kill('SIGSTOP');
    const stopped = performance.now();
    const taken = await bob.openSession(session.uri);
    await until(taken.confirmed, ({ turns }) => turns.at(-1)?.error?.errorType === 'interrupted', 'the end', LONG_MS);
    const turnId = await taken.send('pid');
    const isTold = ({ activeTurn, summary }: SessionState) =>
      activeTurn?.id === turnId && summary.activity !== undefined;
    const { summary } = await until(taken.confirmed, isTold, 'why the turn waits', LONG_MS);
    expect(summary.activity).toMatch(/^Waiting up to \d+ s: the agent of the host/);
    const speaks = ({ activeTurn, turns }: SessionState) =>
      (activeTurn?.responseParts.length ?? 0) > 0 || turns.some(({ id }) => id === turnId);
    await until(taken.confirmed, speaks, 'what the new agent says', LONG_MS);
    expect(pids.map(isGone)).toEqual([true, true]);
    // By a clock that the observer shares with nobody: at the earliest a lease and 5 s after the last beat, which was before.
    expect(performance.now() - stopped).toBeGreaterThan((LEASE_S + 5) * 1_000 - (LEASE_S * 1_000) / 2);
    const { turns } = await until(taken.confirmed, (state) => !state.activeTurn, 'the end of the turn', LONG_MS);
    expect(turns.at(-1)).toMatchObject({ id: turnId, state: 'complete' });
    expect(pids).not.toContain(Number(textOf(turns.at(-1))));
    one.process.kill('SIGCONT');
    await until(session.confirmed, (state) => state.turns.some(({ id }) => id === turnId), 'the session', LONG_MS);
    expect(session.confirmed.value.turns.map(({ state }) => state)).toEqual([
      'complete',
      'complete',
      'error',
      'complete',
    ]);
    // Its agents are its own again.
    const anew = await stubSession(await clientOf(one));
    expect(isGone(Number(await say(anew, 'pid')))).toBe(false);
  });

  it('[FEN6] [FEN7] has no agent left when it alone is cut off from the database, before the new owner starts a turn', {
    timeout: 3 * LONG_MS,
  }, async () => {
    const database = await postgres.server.newDatabase();
    const network = await startTcpProxy();
    cleanups.push(() => network.close());
    network.forwardTo(new URL(database));
    const [one, two] = [
      await startOn(database.replace(new URL(database).port, network.url.port)),
      await startOn(database),
    ];
    const [alice, bob] = [await clientOf(one), await clientOf(two)];
    const { session, pids } = await endlessTurn(one);
    // A host that has no link yet when it is cut off can ask nobody: it takes the database for gone.
    const linked = Promise.withResolvers<void>();
    alice.onNotification((event) => {
      if (JSON.stringify(event).includes('told by two')) linked.resolve();
    });
    const titled = await stubSession(bob);
    await titled.rename('told by two');
    await linked.promise;
    network.allow(false);
    network.cut();
    const taken = await bob.openSession(session.uri);
    await until(taken.confirmed, ({ turns }) => turns.at(-1)?.error?.errorType === 'interrupted', 'the end', LONG_MS);
    const turnId = await taken.send('pid');
    const speaks = ({ activeTurn, turns }: SessionState) =>
      (activeTurn?.responseParts.length ?? 0) > 0 || turns.some(({ id }) => id === turnId);
    await until(taken.confirmed, speaks, 'what the new agent says', LONG_MS);
    expect(pids.map(isGone)).toEqual([true, true]);
    network.allow(true);
  });

  it('[FEN6] [FEN7] keeps its agents while it runs and nobody reaches the database, also for several leases', {
    timeout: 3 * LONG_MS,
  }, async () => {
    const one = await startOn(await postgres.server.newDatabase());
    const { session, pids } = await endlessTurn(one);
    const turnId = session.confirmed.value.activeTurn?.id;
    const client = await clientOf(one);
    await postgres.server.stop('SIGQUIT');
    cleanups.push(() => postgres.server.run());
    const away = performance.now();
    while (performance.now() - away < 4 * LEASE_S * 1_000) {
      // Answered when the host has waited for the database for a while.
      await client.ping();
      expect(pids.map(isGone)).toEqual([false, false]);
    }
    const said = textOf(session.confirmed.value.activeTurn).length;
    await postgres.server.run();
    const speaks = ({ activeTurn }: SessionState) => textOf(activeTurn).length > said;
    const { activeTurn } = await until(session.confirmed, speaks, 'more text', LONG_MS);
    expect(activeTurn?.id).toBe(turnId);
    expect(pids.map(isGone)).toEqual([false, false]);
  });

  it('[FEN7] has a guard that waits for bytes; a host without a database has one that knows no time', async () => {
    const [shared, alone] = [await startOn(await postgres.server.newDatabase()), await start()];
    expect(await guardArguments(shared)).toEqual([String(LEASE_S * 1_000)]);
    expect(await guardArguments(alone)).toEqual([]);
  });
});
