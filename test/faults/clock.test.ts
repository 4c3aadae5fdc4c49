import { EventEmitter, once } from 'node:events';
import { rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionHandle } from '@agenthost/client';
import { type AgentSession, MockAgent, type OpenSessionOptions } from '@agenthost/host';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SequenceFile } from '../../packages/host/src/storage/stateRoot/sequenceFile.js';
import { startTcpProxy } from '../support/tcpProxy.js';
import { startTestHost, temporaryFolder } from '../support/testHost.js';
import { until } from '../support/until.js';
import { amount, isWhole, LONG_MS, PATIENCE_MS } from './support/amount.js';

const JUMPS = amount('jumps', { smoke: 12, full: 300 });
const YEAR = 365 * 24 * 3_600_000;
/** Restarts and lost connections in between: what is kept across them must not depend on the time either. */
const [RESTART_EVERY, CUT_EVERY] = [10, 4];

const realNow = Date.now;
let offset = 0;
const clock = () => Math.floor(realNow() + offset);

/** Anywhere within two years, mostly far, sometimes by a little. */
function jump(): void {
  offset = (Math.random() * 2 - 1) * (Math.random() < 0.3 ? 5_000 : YEAR);
}

/** The host and its clients live through a clock that jumps. Throws when anything is lost, out of order, or stuck. */
async function liveWithJumps(jumps: number, patienceMs = PATIENCE_MS) {
  const stateDir = await temporaryFolder();
  const sent: string[] = [];
  let [highest, envelopes, restarts, uri] = [0, 0, 0, ''];
  try {
    for (let done = 0; done < jumps; restarts++) {
      const proxy = await startTcpProxy();
      const host = await startTestHost({ stateDir }, { publicUrl: proxy.url });
      proxy.forwardTo(host.url);
      try {
        const alice = await host.connect({ url: proxy.url, random: () => 0.01 });
        if (uri === '') ({ uri } = await alice.createSession({ provider: 'mock' }));
        const [hers, his] = [await alice.openSession(uri), await (await host.connect()).openSession(uri)];
        await until(hers.confirmed, ({ lifecycle }) => lifecycle === 'ready', 'the session', PATIENCE_MS);
        const watcher = await host.raw(`watcher-${restarts}`);
        await watcher.request('subscribe', { resource: uri });
        for (let n = 0; n < RESTART_EVERY && done < jumps; n++, done++) {
          jump();
          if (n % CUT_EVERY === 1) proxy.cut();
          const before = clock();
          const [id, title] = [`turn-${done}`, `title ${done}`];
          await hers.rename(title);
          await hers.send('hello', id);
          sent.push(id);
          const [mine] = await Promise.all([hers, his].map((session) => endOf(session, id, patienceMs)));
          expect(mine, 'at is what the host says the time is').toMatchObject({ state: 'complete' });
          expect(Math.abs((mine?.startedAt ?? 0) - before)).toBeLessThan(PATIENCE_MS);
          expect(his.confirmed.value.summary.title).toBe(title);
        }
        await watcher.fence();
        for (const { serverSeq, rejectionReason } of watcher.envelopes) {
          if (rejectionReason) continue;
          if (serverSeq <= highest) throw new Error(`serverSeq ${serverSeq} after ${highest}`);
          highest = serverSeq;
          envelopes++;
        }
        const ids = [];
        for await (const turn of hers.history({ pageSize: 50 })) ids.unshift(turn.id);
        const all = [...new Set([...ids, ...hers.confirmed.value.turns.map((turn) => turn.id)])];
        expect(all.sort(byNumber), 'turns').toEqual(sent);
        const shown = hers.confirmed.value.turns.map((turn) => turn.id);
        expect(shown).toEqual(sent.slice(-shown.length));
        const listed = (await alice.listSessions()).items.map(({ resource }) => resource);
        expect(listed).toEqual([uri]);
      } finally {
        await host.dispose();
        await proxy.close();
      }
    }
    return { envelopes, turns: sent.length, restarts };
  } finally {
    await rm(stateDir, { recursive: true, force: true });
  }
}

const byNumber = (a: string, b: string) => Number(a.slice('turn-'.length)) - Number(b.slice('turn-'.length));

async function endOf(session: SessionHandle, id: string, patienceMs: number) {
  const { turns } = await until(
    session.confirmed,
    (state) => state.turns.some((turn) => turn.id === id),
    'the end of the turn',
    patienceMs,
  );
  return turns.find((turn) => turn.id === id);
}

describe('a clock that jumps', { timeout: LONG_MS }, () => {
  beforeEach(() => {
    offset = 0;
    vi.spyOn(Date, 'now').mockImplementation(clock);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('[ENV1] loses nothing, changes no order, and stops nothing', async () => {
    const { envelopes, turns, restarts } = await liveWithJumps(JUMPS);
    console.info(
      `${JUMPS} jumps of the clock, ${restarts} restarts, ${turns} turns, ${envelopes} envelopes: 0 lost, 0 out of order`,
    );
    expect(turns).toBe(JUMPS);
  });

  it.runIf(isWhole)('which a host that numbers by the time does not pass', async () => {
    vi.spyOn(SequenceFile.prototype, 'next').mockImplementation(() => Date.now());
    await expect(liveWithJumps(60, 10_000)).rejects.toThrow(/did not come|serverSeq/);
  });

  it('does not keep unused sessions in memory', async () => {
    const ended = new EventEmitter();
    class WatchedAgent extends MockAgent {
      override async openSession(options: OpenSessionOptions): Promise<AgentSession> {
        const session = await super.openSession(options);
        const dispose = session.dispose.bind(session);
        session.dispose = async () => {
          await dispose();
          ended.emit('end');
        };
        return session;
      }
    }
    const host = await startTestHost({ agents: [new WatchedAgent()], sessionIdleMs: 400, agentIdleMs: 3_600_000 });
    try {
      const client = await host.connect();
      const session = await client.createSession({ provider: 'mock' });
      await session.ready();
      const left = once(ended, 'end', { signal: AbortSignal.timeout(PATIENCE_MS) });
      session.dispose();
      await client.ping();
      offset = -YEAR;
      await left;
    } finally {
      await host.dispose();
    }
  });

  it('does not keep a state root locked: an unheld lock from the future is taken over', async () => {
    const stateDir = await temporaryFolder();
    try {
      const lock = join(stateDir, 'host.lock');
      await writeFile(lock, '');
      const future = new Date(realNow() + YEAR);
      await utimes(lock, future, future);
      const host = await startTestHost({ stateDir });
      await host.dispose();
    } finally {
      await rm(stateDir, { recursive: true, force: true });
    }
  });
});
