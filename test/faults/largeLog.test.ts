import { randomFillSync } from 'node:crypto';
import { appendFile, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ListSessionsResult, SessionState, Turn } from '@agenthost/protocol';
import type { FetchTurnsResult } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AttackedHost } from '../security/attack/attackedHost.js';
import { hostMemory } from '../support/hostMemory.js';
import { RawClient } from '../support/rawClient.js';
import { spawnHost } from '../support/testHost.js';
import { amount, LONG_MS, PATIENCE_MS } from './support/amount.js';
import { type LargeLog, overwrite, writeLargeLog } from './support/largeLog.js';

const MIB = 1024 * 1024;
const SIZE = amount('log_mib', { smoke: 48, full: 1024 }) * MIB;
const NOISE = randomFillSync(Buffer.alloc(MIB));

/** `AttackedHost.during` bounds the host's memory and what other clients wait for it. */
describe(`a log of ${SIZE / MIB} MiB`, { timeout: LONG_MS }, () => {
  let attacked: AttackedHost;
  let client: RawClient;
  let log: LargeLog;

  const connect = async () => {
    client = await RawClient.open(attacked.host);
    client.patienceMs = 20 * PATIENCE_MS;
    await client.request('initialize', { protocolVersion: 2, clientId: crypto.randomUUID() });
  };
  const openLog = () => client.stateOf(log.uri);
  const pageBefore = (before: string, limit = 50) =>
    client.request<FetchTurnsResult>('fetchTurns', { session: log.uri, range: { before, limit } });
  const goesOn = async () => {
    const turnId = crypto.randomUUID();
    client.dispatch({ type: 'session/turnStarted', session: log.uri, turnId, userMessage: { text: 'go on' } });
    await client.nextAction(log.uri, 'session/turnComplete', (action) => action.turnId === turnId);
  };
  const ids = (turns: readonly Turn[]) => turns.map(({ id }) => id);
  const lastIds = (state: SessionState, last: number) => {
    const shown = ids(state.turns);
    expect(shown).toEqual(Array.from(shown, (_, at) => `t${last - shown.length + 1 + at}`));
  };

  beforeEach(async () => {
    attacked = await AttackedHost.start();
    log = await writeLargeLog(attacked.stateDir, crypto.randomUUID(), SIZE);
    await connect();
  }, LONG_MS);
  afterEach(async () => {
    await client.end();
    await attacked.dispose();
  }, LONG_MS);

  it('is opened, paged back, forked and searched, and opened again after a kill', async () => {
    lastIds(await attacked.during('opening a large log', openLog), log.turns - 1);
    const middle = `t${Math.floor(log.turns / 2)}`;
    const page = await attacked.during('a page in the middle', () => pageBefore(middle));
    expect(page.turns.at(-1)?.id).toBe(`t${Math.floor(log.turns / 2) - 1}`);
    const first = await attacked.during('the first page', () => pageBefore('t1'));
    expect([ids(first.turns), first.hasMore]).toEqual([['t0'], false]);
    const fork = `mock:/${crypto.randomUUID()}`;
    await attacked.during('a fork', () =>
      client.request('forkSession', { session: fork, source: log.uri, toTurnId: middle }),
    );
    lastIds(await client.stateOf(fork), Math.floor(log.turns / 2));
    await goesOn();
    const found = () =>
      client.request<ListSessionsResult>('listSessions', { filter: { text: `number${log.turns - 1}` } });
    expect((await attacked.during('a search', found)).total).toBe(1);
    await client.end();
    await attacked.host.kill('SIGKILL');
    const again = await spawnHost(attacked.stateDir);
    client = await RawClient.open(again);
    client.patienceMs = 20 * PATIENCE_MS;
    await client.request('initialize', { protocolVersion: 2, clientId: crypto.randomUUID() });
    const { turns } = await openLog();
    expect(ids(turns).at(-2)).toBe(`t${log.turns - 1}`);
    expect(await hostMemory(again.pid, 'VmHWM')).toBeLessThanOrEqual(512);
    await again.kill('SIGKILL');
  });

  it('with damage in its middle is opened without it, and continues', async () => {
    // Random bytes have line ends: about 4,000 broken lines in each MiB.
    await overwrite(log.path, Math.floor(SIZE / 2), SIZE / 8, NOISE);
    const state = await attacked.during('opening a large log with noise in its middle', openLog);
    lastIds(state, log.turns - 1);
    await attacked.during('its first page', () => pageBefore('t1'));
    await goesOn();
  });

  it('with zeros in its middle and a torn end is opened without them, and continues', async () => {
    await overwrite(log.path, Math.floor(SIZE / 4), SIZE / 4, Buffer.alloc(MIB));
    const torn = '{"v":1,"n":';
    await appendFile(log.path, torn);
    lastIds(await attacked.during('opening a large log with a hole', openLog), log.turns - 1);
    expect((await readFile(`${log.path}.corrupt`, 'utf8')).endsWith(`${torn}\n`)).toBe(true);
    await goesOn();
  });

  it('whose second half is not a log is cut there, and a copy is kept', async () => {
    await overwrite(log.path, Math.floor(SIZE / 2), log.size - Math.floor(SIZE / 2), NOISE);
    const state = await attacked.during('opening a large log without its second half', openLog);
    expect(state.turns.length).toBeGreaterThan(0);
    const [left, copy] = await Promise.all(
      [log.path, `${log.path}.corrupt`].map(async (path) => (await stat(path)).size),
    );
    expect((left ?? 0) + (copy ?? 0)).toBeGreaterThanOrEqual(log.size);
    await goesOn();
    expect((await stat(join(dirname(log.path), 'workspace.yaml'))).size).toBeGreaterThan(0);
  });
});
