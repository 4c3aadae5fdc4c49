import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { SessionHandle } from '@agenthost/client';
import type { SessionState } from '@agenthost/protocol';
import type { ReconnectResult } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { textOf } from '../../support/say.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const MEBIBYTE = 1024 * 1024;
const DELTAS = 200_000;
/** Less than what a snapshot has of such a turn. */
const LIMIT = 256 * 1024;

/** What the host holds after a garbage collection. */
function memory(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('a client that stops reading', { timeout: 600_000 }, () => {
  let host: TestHost;
  let watching: SessionHandle;
  let slow: RawClient;

  beforeEach(async () => {
    host = await startTestHost(
      { replayLimits: { maxEnvelopes: 10_000, maxBytes: MEBIBYTE } },
      { webSocketLimits: { maxBufferedBytes: LIMIT, goodbyeMs: 600_000 } },
    );
    const watcher = await host.connect({ clientId: 'watcher' });
    watching = await watcher.createSession({ provider: 'mock' });
    await watching.ready();
    slow = await host.raw('slow');
    await slow.request('subscribe', { resource: watching.uri });
    await until(watching.confirmed, ({ clients }) => clients?.length === 2, 'both of them');
  });
  afterEach(() => host.dispose());

  /** All of what was said last, also what the state does not hold any more. */
  const text = async (session: SessionHandle) => {
    const turn = session.confirmed.value.turns.at(-1);
    return turn ? textOf(await session.wholeTurn(turn)) : '';
  };

  /** One turn of many deltas; what it should say. */
  async function stream(): Promise<string> {
    const turnId = await watching.send(`stream ${DELTAS}`);
    await until(watching.confirmed, ({ turns }) => turns.at(-1)?.id === turnId, 'the end of the stream', 120_000);
    return Array.from({ length: DELTAS }, (_, n) => `delta ${String(n).padStart(13, '0')}\n`).join('');
  }

  it('is disconnected; the others get everything; memory stays bounded; it recovers by reconnecting', async () => {
    const lastSeenServerSeq = slow.envelopes.at(-1)?.serverSeq ?? 0;
    const before = memory();
    slow.socket.pause();
    let peak = 0;
    const watched = watching.confirmed.subscribe(() => {
      peak = Math.max(peak, process.memoryUsage().arrayBuffers);
    });
    const buffers = process.memoryUsage().arrayBuffers;
    const isCutOff = () => watching.confirmed.value.clients?.length === 1;
    // The kernel takes some megabytes for it before the host notices.
    let said = '';
    for (let turn = 0; turn < 8 && !isCutOff(); turn++) said = await stream();
    await until(watching.confirmed, isCutOff, 'the end of the slow one');
    watched.dispose();
    expect((await text(watching)) === said).toBe(true);
    expect(watching.confirmed.value.clients).toMatchObject([{ clientId: 'watcher' }]);
    expect(peak - buffers).toBeLessThan(64 * MEBIBYTE);
    expect(memory() - before).toBeLessThan(100 * MEBIBYTE);

    slow.socket.resume();
    expect(await slow.closed).toEqual({ code: 4408, reason: 'the client does not read what it is sent' });
    const back = await RawClient.open(host);
    const result = await back.request<ReconnectResult>('reconnect', {
      clientId: 'slow',
      instanceId: host.host.instanceId,
      lastSeenServerSeq,
      subscriptions: [watching.uri],
    });
    if (result.type !== 'snapshot') throw new Error('expected a snapshot');
    const state = result.snapshots[0]?.state as SessionState;
    const shown = textOf(state.turns.at(-1));
    expect(shown.length).toBeGreaterThan(200_000);
    expect(said.endsWith(shown)).toBe(true);
    await back.end();
  });

  it('is not a client that reads a snapshot over its limit', async () => {
    const said = await stream();
    const other = await host.connect();
    const opened = await other.openSession(watching.uri);
    expect(JSON.stringify(opened.confirmed.value).length).toBeGreaterThan(LIMIT);
    expect((await text(opened)) === said).toBe(true);
    await other.ping();
  });
});
