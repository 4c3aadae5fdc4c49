import { readFile, rm } from 'node:fs/promises';
import { connect, type SessionHandle } from '@agenthost/client';
import { describe, expect, it } from 'vitest';
import { hostMemory } from '../support/hostMemory.js';
import { RawClient } from '../support/rawClient.js';
import { textOf } from '../support/say.js';
import { spawnHost, startTestHost, temporaryFolder } from '../support/testHost.js';
import { until } from '../support/until.js';
import { altered } from './support/alteredHost.js';
import { amount, isWhole, LONG_MS, PATIENCE_MS } from './support/amount.js';

const READERS = amount('readers', { smoke: 0, full: 30 });
// 2026-11-15: what a process holds, and its connections, are read from /proc.
const isLinux = process.platform === 'linux';
const MIB = 1024 * 1024;
/** What the host keeps for one of them at most, and the code of the end. */
const [LIMIT, TOO_SLOW] = [8 * MIB, 4408];
const DELTAS = 200_000;
/** Of a turn, about; so that the turns are many times what may wait. */
const MAX_TURNS = 16;

interface LimitsModule {
  readonly DEFAULT_WEB_SOCKET_LIMITS: { maxBufferedBytes: number; goodbyeMs: number; pingIntervalMs: number };
}

/** They are woken up to read why when all of it is over, which takes as long as it takes. */
const patient = altered('server/sockets/webSocketTransport.js', ({ DEFAULT_WEB_SOCKET_LIMITS }: LimitsModule) => {
  DEFAULT_WEB_SOCKET_LIMITS.goodbyeMs = 3_600_000;
  DEFAULT_WEB_SOCKET_LIMITS.pingIntervalMs = 3_600_000;
});

/** All of what was said last, also what the state does not hold any more. */
const said = async (session: SessionHandle) => {
  const turn = session.confirmed.value.turns.at(-1);
  return turn ? textOf(await session.wholeTurn(turn)) : '';
};
const EXPECTED = Array.from({ length: DELTAS }, (_, n) => `delta ${String(n).padStart(13, '0')}\n`).join('');

/** Clients that stop reading while much is sent. Throws when one is not disconnected, or when another client is affected. */
async function stopReading(readers: number, env: Readonly<Record<string, string>>) {
  const stateDir = await temporaryFolder();
  const host = await spawnHost(stateDir, ['--state-dir', stateDir], env);
  const slow: RawClient[] = [];
  const watcher = await connect({ url: host.url, token: host.token });
  try {
    const session = await watcher.createSession({ provider: 'mock' });
    await session.ready();
    for (let n = 0; n < readers; n++) {
      const client = await RawClient.open(host);
      slow.push(client);
      await client.request('initialize', { protocolVersion: 1, clientId: `slow-${n}`, clientInfo: { name: 'slow' } });
      await client.request('subscribe', { resource: session.uri });
    }
    await until(session.confirmed, ({ clients }) => clients?.length === readers + 1, 'all of them', PATIENCE_MS);
    // A client whose turns are timed, before and while the others do not read.
    const other = await (await connect({ url: host.url, token: host.token })).createSession({ provider: 'mock' });
    await other.ready();
    await stream(session, 'warm up');
    const before = await hostMemory(host.pid, 'VmRSS');
    const closed = Promise.all(slow.map((client) => client.closed));
    for (const client of slow) client.socket.pause();
    const isCutOff = () => session.confirmed.value.clients?.length === 1;
    let turns = 0;
    let beside = 0;
    for (; turns < MAX_TURNS && !isCutOff(); turns++) {
      const streaming = stream(session, 'the end of the stream');
      await other.send('hello');
      await until(other.confirmed, ({ activeTurn }) => !activeTurn, 'their turn', PATIENCE_MS);
      beside++;
      await streaming;
      expect((await said(session)) === EXPECTED, 'who reads gets everything').toBe(true);
    }
    expect(session.confirmed.value.clients?.length, 'only who reads is left').toBe(1);
    const peak = (await hostMemory(host.pid, 'VmHWM')) - before;
    for (const client of slow) client.socket.resume();
    const codes = (await closed).map(({ code }) => code);
    return { turns, beside, codes, peak };
  } finally {
    await Promise.all(slow.map((client) => client.end()));
    watcher.close();
    await host.kill('SIGKILL');
    await rm(stateDir, { recursive: true, force: true });
  }
}

/** Established connections that this process has accepted on a port, as Linux sees them. */
async function connectionsOf(port: string): Promise<number> {
  const local = Number(port).toString(16).toUpperCase().padStart(4, '0');
  const lines = (await readFile('/proc/self/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  return lines.filter(([, from, , state]) => from?.endsWith(`:${local}`) && state === '01').length;
}

async function stream(session: SessionHandle, what: string): Promise<void> {
  const turnId = await session.send(`stream ${DELTAS}`);
  await until(session.confirmed, ({ turns }) => turns.at(-1)?.id === turnId, what, PATIENCE_MS);
}

describe('clients that do not read', { timeout: LONG_MS }, () => {
  it.runIf(isWhole && isLinux)('are disconnected with a code; others get everything; memory is bounded', async () => {
    const { turns, beside, codes, peak } = await stopReading(READERS, patient);
    console.info(
      `${READERS} slow readers cut off with ${TOO_SLOW} within ${turns} turns, ${beside} turns of others beside, 0 harmed; ` +
        `memory at most ${peak.toFixed(0)} MiB more`,
    );
    expect(codes).toEqual(codes.map(() => TOO_SLOW));
    // What may wait for each of them, and garbage that was not collected yet.
    expect(peak * MIB).toBeLessThan(READERS * LIMIT + 400 * MIB);
  });

  it.runIf(isWhole)('are noticed missing where nothing limits what waits for them', async () => {
    const unlimited = altered('server/sockets/webSocketTransport.js', ({ DEFAULT_WEB_SOCKET_LIMITS }: LimitsModule) => {
      DEFAULT_WEB_SOCKET_LIMITS.maxBufferedBytes = Number.POSITIVE_INFINITY;
      // No client is disconnected because a busy machine takes long; these answer no ping.
      DEFAULT_WEB_SOCKET_LIMITS.pingIntervalMs = 3_600_000;
    });
    await expect(stopReading(2, unlimited)).rejects.toThrow(/only who reads is left/);
  });

  it.runIf(isLinux)('and do not take the close frame either are removed after a while', async () => {
    const host = await startTestHost({}, { webSocketLimits: { maxBufferedBytes: MIB, goodbyeMs: 50 } });
    try {
      const session = await (await host.connect()).createSession({ provider: 'mock' });
      await session.ready();
      const slow = await host.raw('slow');
      await slow.request('subscribe', { resource: session.uri });
      await until(session.confirmed, ({ clients }) => clients?.length === 2, 'both', PATIENCE_MS);
      slow.socket.pause();
      while (session.confirmed.value.clients?.length === 2) await stream(session, 'the end of the stream');
      await expect.poll(() => connectionsOf(host.url.port), { timeout: PATIENCE_MS }).toBe(1);
    } finally {
      await host.dispose();
    }
  });

  it('and that do not even answer a ping are disconnected, with or without data for them', async () => {
    // Longer than this machine is ever busy: live clients must answer in time.
    const host = await startTestHost({}, { webSocketLimits: { pingIntervalMs: 3_000 } });
    try {
      const alive = await host.connect();
      const session = await alive.createSession({ provider: 'mock' });
      await session.ready();
      const dead = await host.raw('dead');
      await dead.request('subscribe', { resource: session.uri });
      await until(session.confirmed, ({ clients }) => clients?.length === 2, 'both', PATIENCE_MS);
      dead.socket.pause();
      await until(session.confirmed, ({ clients }) => clients?.length === 1, 'the end of the dead one', PATIENCE_MS);
      dead.socket.resume();
      expect((await dead.closed).code).toBe(1006);
      await alive.ping();
    } finally {
      await host.dispose();
    }
  });
});
